import { percent } from '../../format.ts'
import { isFull, memoryShare } from '../host.ts'
import type { Known } from '../known.ts'
import { oomKillsOf } from '../oom-kills.ts'
import { type Finding, likely, proven } from '../verdict.ts'
import { isOomRuledOut, killers, memoryHints } from './guest-memory.ts'
import { rule } from './rule.ts'

const faults: readonly (readonly [name: string, number: number])[] = [
  ['SIGSEGV', 11],
  ['SIGABRT', 6],
  ['SIGILL', 4],
  ['SIGFPE', 8],
  ['SIGBUS', 7],
]

const bySignal = {
  rests: 'cluster',
  argument:
    'The container runtime waited for the program and got from the kernel the signal that ended it: a program that exits with 128 + n by itself has an exit code and no signal there. It proves how the program ended, and not who sent the signal.',
} as const

/** Rules for a signal alone: it says how the runner ended, not why. */
export const signalRules = [
  rule({
    name: 'ended by SIGTERM',
    gives: ['terminated'],
    means: 'Something other than Holdfast asked the runner to stop.',
    needs:
      'SIGTERM, as the container runtime names it, and nobody known who asked for it; with exit code 143 alone it is likely.',
    mustNotConclude:
      'That the node was drained or the pod deleted: then the cluster would say so. Nor from 143 that there was a signal.',
    nextSteps: ['Look for a process in the runner, or on its machine, that sends SIGTERM.'],
    proof: bySignal,
    fires: (known) => {
      if (!known.endedBy('SIGTERM', 15)) return null
      const finding = ended(known, 'terminated', 'SIGTERM', 15)
      return { ...finding, unknown: [...(finding.unknown ?? []), 'who sent SIGTERM', ...deletion(known)] }
    },
  }),
  rule({
    name: 'ended by SIGKILL without a memory sign',
    gives: ['sigkill-unknown'],
    means: 'The runner was killed, and no trusted source says by whom or why.',
    needs: 'SIGKILL or exit code 137.',
    mustNotConclude: 'An OOM kill: 137 alone does not say so. Nor that the build is to blame.',
    nextSteps: [
      'Run holdfast agent on the nodes: it distinguishes a kill for memory from any other.',
      'Look for kill -9 in the job, and for the kubelet or runtime killing after a grace period.',
    ],
    fires: (known) => (known.endedBy('SIGKILL', 9) ? sigkill(known) : null),
  }),
  rule({
    name: 'its supervisor was killed',
    gives: ['sigkill-unknown'],
    means:
      'Somebody killed the process of Holdfast that stands above a local runner; Holdfast then ended the runner.',
    needs:
      'A supervisor that is gone without having written how its runner ended, on a machine that still runs.',
    mustNotConclude:
      'How the runner itself ended, whatever a file says: who can kill the supervisor can write that file. Nor who did it.',
    nextSteps: [
      'Look for kill -9 in the job; where runners have users of their own (runners.isolation), a job cannot do it.',
      'See in the log of the kernel whether the machine ran out of memory.',
    ],
    fires: ({ ending, pod }) =>
      pod === null && ending.supervisor === 'killed' && ending.exitCode === null && ending.signal === null
        ? {
            ...likely(
              'sigkill-unknown',
              'Its supervisor was killed, which would have recorded how it ended.',
            ),
            unknown: [
              'who killed its supervisor: its job, somebody on the machine, or the kernel for want of memory',
            ],
          }
        : null,
  }),
  rule({
    name: 'ended by a fault signal',
    gives: ['crash'],
    means: 'The program of the runner crashed: a segmentation fault, an abort, a bus error and the like.',
    needs:
      'SIGSEGV, SIGABRT, SIGILL, SIGFPE or SIGBUS, as the container runtime names it; with the exit code that stands for it alone it is likely.',
    mustNotConclude:
      'That the job did it: a full disk or missing memory can end in a bus error too. Nor from the code that there was a signal.',
    nextSteps: [
      'Compare the version of the runner and its image with those that do not crash; keep a core dump.',
    ],
    proof: bySignal,
    fires: (known) => {
      const fault = faults.find(([name, number]) => known.endedBy(name, number))
      return fault === undefined ? null : ended(known, 'crash', ...fault)
    },
  }),
]

/**
 * A note about a deletion dated after the end: a kubelet that is done with a pod leaves the end of the grace period as its
 * deletion time, and writes no event in a terminating namespace, so that a deletion before the end looks like a later one.
 */
function deletion({ pod }: Known): string[] {
  return pod === null || pod.deletedAt === null
    ? []
    : ['whether its pod was asked to go before that: only the end of its time to go is on record']
}

/** The finding for a signal; an exit code of 128 + n alone may also come from a launcher that passes on its child's end. */
function ended({ ending }: Known, as: 'terminated' | 'crash', signal: string, number: number): Finding {
  if (ending.signal === signal) return proven(as, `${signal} ended it.`)
  const code = 128 + number
  return {
    ...likely(
      as,
      `It ended with exit code ${code}, which stands for ${signal}; the runtime names no signal.`,
    ),
    unknown: [`whether ${signal} ended it, or a program of it ended with ${code} by itself`],
  }
}

function sigkill(known: Known): Finding {
  const share = memoryShare(known)
  const because = [`SIGKILL ended it; ${memorySign(known)}.`]
  if (share !== null && isFull(share)) because.push(`Its memory was at ${percent(share)} of its limit.`)
  const hints = memoryHints(known)
  if (hints.length > 0 && isOomRuledOut(known)) {
    because.push(
      ...hints,
      'That does not fit what was counted outside; its own output can be written by its job.',
    )
  }
  return { ...likely('sigkill-unknown', ...because), unknown: [`who sent SIGKILL: ${killers}`] }
}

function memorySign(known: Known): string {
  const {
    pod,
    ending: { oomKills },
  } = known
  if (oomKillsOf(known)?.inAll === 0) return 'its node counted no kill for memory in its groups'
  if (pod !== null) return 'the kubelet does not call it an OOM kill'
  return oomKills === null
    ? 'whether memory ran out could not be read'
    : 'the kernel counted no OOM kill in its group'
}
