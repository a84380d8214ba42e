import { type MemorySeen, quote } from '../../death/index.ts'
import { bytes } from '../../format.ts'
import type { KnownFailure } from '../known.ts'
import { memoryInLog } from '../memory-in-log.ts'
import { type JobFinding, likely } from '../verdict.ts'
import type { JobFailureRule } from './rule.ts'

/** A peak above this share of the limit may have reached it between two readings. */
const nearLimit = 0.95
const byClaim = 'whether these figures are true: only its own log has them, which the job can write'

/** Rules for programs of a step that were killed while the runner lived on. */
export const memoryRules: readonly JobFailureRule[] = [
  {
    name: 'a program of it was killed',
    gives: [
      'confirmed-cgroup-oom',
      'killed-outside-cgroup',
      'transient-runner-memory-evidence',
      'evidence-incomplete',
    ],
    means:
      'Signal 9 ended a compiler, a builder or another program of the step. Kills that the kernel counted make it confirmed; none, with a peak well below the limit, show that something else sent it; none with a peak at the limit leave it open; without both figures the evidence is incomplete.',
    needs:
      'Words about signal 9 or exit code 137 in what the failed step wrote; memory.events and memory.peak with memory.max of its groups, from outside or printed by the job.',
    mustNotConclude: 'An OOM kill without these figures. The total memory of the cluster proves nothing.',
    nextSteps: [
      'Repeat it once on the same commit (holdfast fix retry-proof <job url>, for a platform proof of the contract file). A pass counts, and the first log is kept; if it fails again, keep both logs together.',
      'Run holdfast agent on the nodes, or let the job print memory.events, memory.peak and memory.max of its group.',
    ],
    fires: (known) => {
      const killed = killedBy(known)
      return killed === null ? null : byFigures(known, killed)
    },
  },
  {
    name: 'memory ran out inside its runner',
    gives: ['guest-oom'],
    means: 'Something in the runner was killed at the memory limit; the runner lived on, and the job failed.',
    needs: 'Kills that were counted from outside, or lines of the kernel in what the failed step wrote.',
    mustNotConclude: 'That the node or the cluster was short of memory: the limit of the runner was reached.',
    nextSteps: [
      "Compare the peak with the limit: raise the pool's memory limit, or let the job do less at once.",
    ],
    fires: ({ runner, signs }) => {
      const kills = runner?.memory.oomKills ?? null
      if (kills !== null && kills > 0) {
        const counted = likely('guest-oom', `The kernel counted ${kills} kill(s) for memory in its groups.`)
        return { ...counted, unknown: ['whether that kill is why the step failed: its log does not name it'] }
      }
      if (kills === 0 || signs.kernelOom === undefined) return null
      return likely('guest-oom', quote(signs, 'kernelOom'), 'Only its own log says so.')
    },
  },
]

/** The words about a kill; null: there are none. */
function killedBy({ signs, reported, log }: KnownFailure): string | null {
  if (signs.signal9 !== undefined) return quote(signs, 'signal9')
  // Annotations are of all steps; the log is that of the one that failed.
  const best = log === null ? 'forge' : 'log'
  const exit = reported.find(({ source, text }) => source === best && /exit code 137\b/.test(text))
  return exit === undefined ? null : `Its end: "${exit.text}" (128 + signal 9)`
}

function byFigures({ runner, log }: KnownFailure, killed: string): JobFinding {
  const outside = runner?.memory ?? null
  const isOutside = outside !== null && outside.oomKills !== null
  const memory = isOutside ? outside : memoryInLog(log ?? '')
  const unknown = isOutside || memory === null ? [] : [byClaim]
  if (memory === null || memory.oomKills === null)
    return incomplete(killed, 'kills for memory (memory.events)')
  if (memory.oomKills > 0) {
    const because = [
      killed,
      `${memory.oomKills} kill(s) for memory were counted in its groups.`,
      ...peakText(memory),
    ]
    return { ...likely('confirmed-cgroup-oom', ...because), unknown }
  }
  const counted = [killed, 'No kill for memory was counted in its groups.', ...peakText(memory)]
  if (memory.peakBytes === null) return incomplete(killed, 'the peak of memory (memory.peak)')
  const isNear = memory.limitBytes !== null && memory.peakBytes >= nearLimit * memory.limitBytes
  if (isNear) return { ...likely('transient-runner-memory-evidence', ...counted), unknown }
  const senders =
    'what sent signal 9: a container inside of the job with a limit of its own, a person, or the job'
  return { ...likely('killed-outside-cgroup', ...counted), unknown: [...unknown, senders] }
}

function incomplete(killed: string, what: string): JobFinding {
  return { ...likely('evidence-incomplete', killed), unknown: [`${what}: nobody read it`] }
}

function peakText({ peakBytes, limitBytes }: MemorySeen): string[] {
  if (peakBytes === null) return []
  return [
    `Memory: ${bytes(peakBytes)} at most, ${limitBytes === null ? 'without a known limit' : `of ${bytes(limitBytes)}`}.`,
  ]
}
