import { type ForgeView, logSaysDone } from '../forge.ts'
import type { Known } from '../known.ts'
import { isLast, type LogSign, quote } from '../log.ts'
import { type Finding, likely, unsure } from '../verdict.ts'
import { countedOutside, memoryClaims } from './guest-memory.ts'
import { rule } from './rule.ts'

/**
 * Exit codes of GitHub's listener: 0 in order, 1 terminated, 2 retry, 5 session conflict, 7 outdated. Its launcher turns 1,
 * 5 and unknown codes into 0, so that only its log lines distinguish them.
 */
const listenerCodes: ReadonlySet<number | null> = new Set([0, 1, 2, 5, 7, null])
const outdatedExitCode = 7
const faultNames: Readonly<Record<number, string>> = {
  139: 'SIGSEGV',
  134: 'SIGABRT',
  132: 'SIGILL',
  136: 'SIGFPE',
  135: 'SIGBUS',
}

/** Rules over log lines of the runner's own program. Its job can write such lines too: likely at most. */
export const runnerProgramRules = [
  rule({
    name: 'its session was taken by another',
    gives: ['session-conflict'],
    means: 'Another process had a session under the same registration, and the forge lets in only one.',
    needs:
      'The lines of the runner about that at the end of its log, and a code that its launcher gives then.',
    mustNotConclude:
      'That the forge is broken: one configuration was used twice, or an old session lives on.',
    nextSteps: ['See whether the same configuration was given to two runners; the next one gets a new one.'],
    fires: (known) => lastLine(known, 'sessionConflict', 'session-conflict'),
  }),
  rule({
    name: 'its registration was deleted',
    gives: ['runner-deregistered'],
    means: 'The forge does not know the runner any more, and let it in no longer.',
    needs:
      'The lines of the runner about that at the end of its log, and a code that its launcher gives then.',
    mustNotConclude: 'Who deleted it: the forge itself deletes runners that were offline for long.',
    nextSteps: [
      "Look in the forge's audit log for the removal; see whether two programs tend the same runners.",
    ],
    fires: (known) => lastLine(known, 'deregistered', 'runner-deregistered'),
  }),
  rule({
    name: 'its version was refused',
    gives: ['runner-outdated'],
    means: 'The forge gives no more jobs to this version of the runner.',
    needs: 'The lines of the runner about that at the end of its log, or exit code 7 of the listener.',
    mustNotConclude: 'That one runner is affected: all of that image are.',
    nextSteps: ['Put a newer version of the runner into the image of the pool.'],
    fires: outdated,
  }),
  rule({
    name: 'its job was taken back before it fetched it',
    gives: ['clean'],
    means: 'The job was cancelled or given to another when the runner asked for it; it ended without one.',
    needs: 'Exit code 0, and "Job message not found" as its last line about a job.',
    mustNotConclude: 'That a job was lost: see whether its replacement is still queued.',
    nextSteps: ['See whether the job was cancelled, and whether its replacement runs.'],
    fires: ({ ending, log }) =>
      ending.exitCode === 0 && isLast(log, 'jobGone', 'runningJob', 'jobResult')
        ? likely('clean', 'It ended with exit code 0, without a job.', quote(log, 'jobGone'))
        : null,
  }),
  rule({
    name: 'its launcher hid an exit code',
    gives: ['guest-oom', 'sigkill-unknown', 'crash', 'failed'],
    means: "The runner's program ended badly, and its launcher made exit code 0 of that.",
    needs: 'Exit code 0, and the line "Exiting with unknown error code" as the last line of the launcher.',
    mustNotConclude: 'That the end was clean, or that it is proven: the line stands in the log.',
    nextSteps: ['Judge by the code that the line names; exit code 0 says nothing here.'],
    fires: hiddenCode,
  }),
]

function lastLine(
  known: Known,
  sign: LogSign,
  gives: 'session-conflict' | 'runner-deregistered',
): Finding | null {
  if (!mayBeListener(known)) return null
  if (!isLast(known.log, sign, 'runningJob', 'jobResult', 'reconnected', 'listening', 'inOrder')) return null
  return likely(gives, codeWords(known), quote(known.log, sign))
}

function outdated(known: Known): Finding | null {
  const { ending, log } = known
  if (mayBeListener(known) && isLast(log, 'outdated', 'runningJob', 'jobResult')) {
    return likely('runner-outdated', codeWords(known), quote(log, 'outdated'))
  }
  if (ending.exitCode !== outdatedExitCode || ending.tail !== '') return null
  return unsure(
    'runner-outdated',
    "Exit code 7 is that of GitHub's runner for a version that is refused; no log says so.",
  )
}

function hiddenCode(known: Known): Finding | null {
  const { ending, log } = known
  if (
    ending.exitCode !== 0 ||
    isConfirmed(known.forge) ||
    !isLast(log, 'hiddenCode', 'runningJob', 'inOrder')
  )
    return null
  const code = Number(/code: (\d{1,3})\b/.exec(log.hiddenCode?.line ?? '')?.[1])
  const sentences = ['Its launcher ended with exit code 0.', quote(log, 'hiddenCode')]
  if (code === 137) {
    const counted = countedOutside(known)
    if (counted === 0) return likely('sigkill-unknown', ...sentences, ...memoryClaims(known))
    return likely('guest-oom', ...sentences, `${counted} kill(s) for memory were counted from outside.`)
  }
  const fault = faultNames[code]
  return fault === undefined
    ? likely('failed', ...sentences)
    : likely('crash', ...sentences, `That stands for ${fault}.`)
}

/** Whether the code may be the listener's, while neither the forge nor the log says that the job was done. */
function mayBeListener({ ending, forge, log }: Known): boolean {
  return (
    ending.signal === null && listenerCodes.has(ending.exitCode) && !isConfirmed(forge) && !logSaysDone(log)
  )
}

function codeWords({ ending }: Known): string {
  return ending.exitCode === null
    ? 'Its exit code is not known.'
    : `It ended with exit code ${ending.exitCode}.`
}

function isConfirmed(forge: ForgeView): boolean {
  return forge === 'agrees' || forge === 'fits'
}
