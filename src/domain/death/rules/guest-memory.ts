import { bytes, percent } from '../../format.ts'
import { isFull, memoryShare, sawTheEnd } from '../host.ts'
import type { Known } from '../known.ts'
import { quote } from '../log.ts'
import { oomKillsOf } from '../oom-kills.ts'
import { type Finding, likely } from '../verdict.ts'
import { rule } from './rule.ts'

/** Vitals are printed each 3 s: a use this close to the limit may have reached it in between. */
const nearLimit = 0.95

/** Senders of SIGKILL other than the kernel's OOM killer. */
export const killers = 'a container runtime or kubelet after a grace period, a person, or its own job'

/** Rules for a kill without a reason from the kubelet, where something points to memory. */
export const guestMemoryRules = [
  rule({
    name: 'killed while the host saw memory run out',
    gives: ['guest-oom'],
    means: 'Something in the runner ran out of memory and was killed, and the runner ended with it.',
    needs:
      'SIGKILL, and of the agent on the node: kills counted, lines of the kernel, or memory at its limit.',
    mustNotConclude: 'That the kubelet is wrong: it names only kills that its container runtime reported.',
    nextSteps: ['Compare the peak with the limit; raise the limit, or let the job do less at once.'],
    fires: byHost,
  }),
  rule({
    name: 'killed while its own output speaks of memory',
    gives: ['sigkill-unknown'],
    means:
      'It was killed, and its own vitals or log claim that memory ran out in it; nobody outside says so.',
    needs:
      'SIGKILL, and vitals with a kill or at the limit, or such lines in the log; nothing outside against it.',
    mustNotConclude: 'An OOM kill: its job can print such lines, and another one may have sent the signal.',
    nextSteps: [
      'Run holdfast agent on the nodes: it sees memory from outside, and can prove or rule out this.',
      'Let the job print memory.events and memory.peak of its group when a step fails.',
    ],
    fires: byOutput,
  }),
]

/** Sentences about signs of memory in its output; hints, never proof. */
export function memoryHints({ vitals, log }: Known): string[] {
  const newest = vitals.at(-1)?.values ?? {}
  const kills = (newest.oom_kill ?? 0) - (vitals[0]?.values.oom_kill ?? 0)
  const hints: string[] = []
  if (kills > 0) hints.push(`Its own vitals count ${kills} kill(s) for memory at the end.`)
  const { mem_current: used, mem_max: most } = newest
  if (used !== undefined && most && used >= nearLimit * most) {
    hints.push(`Its own vitals show ${bytes(used)} of ${bytes(most)} used at the end.`)
  }
  if (log.kernelOom !== undefined) hints.push(quote(log, 'kernelOom'))
  return hints
}

/** The same hints marked as claims: the output may lie. */
export function memoryClaims(known: Known): string[] {
  const hints = memoryHints(known)
  if (hints.length === 0) return []
  const claims = hints.map((hint) => `A claim of its own output: ${hint}`)
  return [...claims, 'Only its own output says so, which its job can write.']
}

/** The number of OOM kills in its cgroups that were counted from outside. */
export function countedOutside(known: Known): number {
  return (oomKillsOf(known)?.inAll ?? 0) + (known.ending.oomKills ?? 0)
}

/** Whether a count from outside, up to its end, shows no OOM kill. */
export function isOomRuledOut(known: Known): boolean {
  if (known.ending.oomKills !== null) return known.ending.oomKills === 0
  return sawTheEnd(known) && oomKillsOf(known)?.inAll === 0
}

function byHost(known: Known): Finding | null {
  const { ring } = known
  if (!known.endedBy('SIGKILL', 9)) return null
  const kills = oomKillsOf(known)
  const last = ring?.oomLines.at(-1)?.line.slice(0, 300)
  const line = last === undefined ? [] : [`The kernel of its node wrote: "${last}"`]
  if (kills !== null && kills.atEnd > 0) {
    // Its groups are those of all containers of its pod, and the kubelet does not call it OOMKilled.
    const count = `Its node counted ${kills.atEnd} kill(s) for memory in its groups at its end.`
    return { ...likely('guest-oom', count, ...line), unknown: ['that the runner ended by that kill'] }
  }
  if (kills !== null && kills.inAll > 0) {
    const when = `Its node counted ${kills.inAll} kill(s) for memory in its groups; when is not known.`
    return { ...likely('guest-oom', when, ...line), unknown: ['what killed it at last'] }
  }
  const share = memoryShare(known)
  if (kills !== null || share === null || !isFull(share)) return null
  return likely('guest-oom', `Its node saw its memory at ${percent(share)} of its limit when it was killed.`)
}

function byOutput(known: Known): Finding | null {
  if (!known.endedBy('SIGKILL', 9) || isOomRuledOut(known)) return null
  const claims = memoryClaims(known)
  if (claims.length === 0) return null
  return {
    ...likely('sigkill-unknown', 'SIGKILL ended it.', ...claims),
    unknown: ['whether memory ran out: nobody outside of it counted', `who sent SIGKILL: ${killers}`],
  }
}
