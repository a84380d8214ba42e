import { deleterOf } from '../deleter.ts'
import type { ContainerEnd } from '../ending.ts'
import { nodeOomLine, oomSeen, sawTheEnd } from '../host.ts'
import type { Known } from '../known.ts'
import { type Finding, likely, proven } from '../verdict.ts'
import { bytes } from '../words.ts'
import { rule } from './rule.ts'

/** Below this share of its limit, its own limit cannot have been what it ran into. */
const FAR_FROM_LIMIT = 0.8
/** Exit codes above this stand for signals. */
const SIGNAL_CODES_FROM = 128
/** A container that was killed longer ago and begun again has nothing to do with the end. */
const EARLIER_WITHIN_MS = 10 * 60_000
const moreMemory = [
  'Compare the peak with the limit; raise the memory limit of the pool, or send such jobs to a pool with more.',
  'Do not go by the memory of the whole cluster: each runner lives within its own limit.',
]

/** What the kernel and the kubelet say about memory: both are outside the runner, and may prove. */
export const memoryRules = [
  rule({
    name: 'its node ran out of memory',
    gives: ['node-oom'],
    means: 'The kernel killed it since the whole node had no memory left, not since it was at its own limit.',
    needs: 'A line of the kernel, read by the agent on the node, that names no memory group as the limit.',
    mustNotConclude: 'That the runner used too much: the kernel takes who frees most, not who is to blame.',
    nextSteps: [
      'Look at what else ran on the node then: holdfast explain shows the node.',
      'Let runners request what they use, so that the scheduler does not place too many of them.',
    ],
    fires: (known) => {
      const line = nodeOomLine(known)
      const isKilled = known.endedBy('SIGKILL', 9) || known.runner?.reason === 'OOMKilled'
      if (line === null || !isKilled || known.ending.exitCode === 0) return null
      return proven('node-oom', `The kernel of its node wrote: "${line}"`, ...limitWords(known))
    },
  }),
  rule({
    name: 'kernel counted an OOM kill',
    gives: ['container-oom', 'guest-oom'],
    means:
      'The kernel killed processes of its group for memory; with SIGKILL the runner itself was one of them.',
    needs:
      'The count of the memory group, read from outside, above 0, and an end that was not exit code 0; proven with a peak near the limit.',
    mustNotConclude: 'That the whole machine was out of memory, or that a larger limit is the only remedy.',
    nextSteps: moreMemory,
    fires: counted,
  }),
  rule({
    name: 'the kubelet says OOMKilled',
    gives: ['container-oom', 'guest-oom'],
    means: 'The container that runs the job was killed at its memory limit, or a process in it was.',
    needs:
      'The reason OOMKilled of the container, and an end that was not exit code 0; with 137 it was the runner.',
    mustNotConclude: 'That the node or the cluster was out of memory.',
    nextSteps: moreMemory,
    fires: byKubelet,
  }),
  rule({
    name: 'a container beside it was OOMKilled',
    gives: ['container-oom'],
    means: 'Another container of its pod, such as the Docker daemon, was killed at its memory limit.',
    needs: 'The reason OOMKilled of another container, now or before it was begun again; no exit code 0.',
    mustNotConclude:
      'That the runner used too much memory itself, or that its end must follow from the other.',
    nextSteps: ['Raise the memory limit of the container that is named, not that of the runner.'],
    fires: besideOom,
  }),
]

function counted(known: Known): Finding | null {
  const { oomKills, exitCode, memoryPeakBytes: peak, memoryLimitBytes: limit } = known.ending
  if (!oomKills || exitCode === 0) return null
  const said = `The kernel killed ${oomKills} process(es) of its group for memory.`
  if (!known.endedBy('SIGKILL', 9)) return ofAnother(known, said)
  if (peak !== null && limit !== null && peak >= FAR_FROM_LIMIT * limit) {
    return unlessAsked(known, proven('container-oom', said, ...limitWords(known)))
  }
  // The counter counts every kill for memory, also where the whole machine was short of it.
  const against = limit === null || peak === null ? [] : ['Its own limit may not be the reason.']
  const unknown = ['whether it was at its own limit, or its machine as a whole was short of memory']
  return { ...likely('container-oom', said, ...limitWords(known), ...against), unknown }
}

function byKubelet(known: Known): Finding | null {
  const { runner, ending } = known
  if (runner?.reason !== 'OOMKilled' || ending.exitCode === 0) return null
  const said = `The kubelet says that its container was killed at its memory limit${limitOf(known, runner)}.`
  if (!known.endedBy('SIGKILL', 9)) {
    // It says so also where only a child was killed, and keeps saying so when the container ends later.
    return ofAnother(known, `The kubelet saw a kill at its memory limit${limitOf(known, runner)} in it.`)
  }
  const seen = oomSeen(known)
  if (seen === null || seen.inAll > 0 || !sawTheEnd(known)) {
    return unlessAsked(known, proven('container-oom', said))
  }
  const against = 'The agent on its node saw no such kill up to its end, which does not fit.'
  return { ...likely('container-oom', said, against), unknown: ['which of the two is right'] }
}

/** The kill took a child of the runner: its own end may follow from that, unless it was asked for or is a crash. */
function ofAnother(known: Known, said: string): Finding | null {
  const { exitCode, signal } = known.ending
  if (deleterOf(known.ending) !== null || signal !== null || (exitCode ?? 0) > SIGNAL_CODES_FROM) return null
  const how = exitCode === null ? 'How the runner itself ended is not known.' : `exit code ${exitCode}`
  const own = exitCode === null ? how : `The runner itself was not killed by it: it ended with ${how}.`
  return likely('guest-oom', said, own)
}

/** Who is asked to go is killed too when it takes too long: then there are two that may have done it. */
function unlessAsked({ ending }: Known, finding: Finding): Finding {
  const deleter = deleterOf(ending)
  if (deleter === null) return finding
  const asked = `It had been asked to go as well (by: ${deleter}), and is killed when it does not.`
  return { ...finding, confidence: 'likely', because: [...finding.because, asked] }
}

function besideOom(known: Known): Finding | null {
  const { pod, ending } = known
  if (pod === null || ending.exitCode === 0 || deleterOf(ending) !== null) return null
  const killed = pod.containers.find((each) => each.name !== 'runner' && isOom(each, ending.endedAt))
  if (killed === undefined) return null
  return likely(
    'container-oom',
    `The kubelet says that its container ${killed.name} was killed at its memory limit${limitOf(known, killed)}.`,
    'That its own end follows from that is likely, and not seen.',
  )
}

function isOom({ reason, earlier }: ContainerEnd, endedAt: number): boolean {
  if (reason === 'OOMKilled') return true
  return earlier?.reason === 'OOMKilled' && (earlier.finishedAt ?? endedAt) >= endedAt - EARLIER_WITHIN_MS
}

function limitOf({ ending }: Known, { name, limits }: ContainerEnd): string {
  const limit = limits?.memoryBytes ?? (name === 'runner' ? ending.memoryLimitBytes : null)
  return limit === null ? '' : ` of ${bytes(limit)}`
}

function limitWords({ ending }: Known): string[] {
  const { memoryPeakBytes: peak, memoryLimitBytes: limit } = ending
  if (limit === null) return []
  return [
    peak === null ? `Its limit was ${bytes(limit)}.` : `Its peak was ${bytes(peak)} of ${bytes(limit)}.`,
  ]
}
