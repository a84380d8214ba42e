import { type ForgeView, logSaysDone } from '../forge.ts'
import type { Known } from '../known.ts'
import { isLast, type LogSign, quote } from '../log.ts'
import { type Finding, likely, unsure } from '../verdict.ts'
import { countedOutside, memoryClaims } from './guest-memory.ts'
import { rule } from './rule.ts'

/**
 * GitHub's listener: 0 in order, 1 terminated, 2 to be tried again, 5 session conflict, 7 too old. Its launcher makes 0
 * of 1, 5 and all that it does not know, so that only its lines tell them apart.
 */
const listenerCodes: ReadonlySet<number | null> = new Set([0, 1, 2, 5, 7, null])
const OUTDATED = 7
const faultNames: Readonly<Record<number, string>> = {
  ...{ 139: 'SIGSEGV', 134: 'SIGABRT', 132: 'SIGILL', 136: 'SIGFPE', 135: 'SIGBUS' },
}

/** What the runner's own program says about its end. Its job can write such lines too: likely at most. */
export const runnerProgramRules = [
  rule({
    name: 'its session was taken by another',
    gives: ['session-conflict'],
    means: 'Another process had a session under the same registration, and the forge lets in only one.',
    needs: 'The lines of the runner about that as its last word, and a code that its launcher gives then.',
    mustNotConclude:
      'That the forge is broken: one configuration was used twice, or an old session lives on.',
    nextSteps: ['See whether the same configuration was given to two runners; the next one gets a new one.'],
    fires: (known) => lastWord(known, 'sessionConflict', 'session-conflict'),
  }),
  rule({
    name: 'its registration was deleted',
    gives: ['runner-deregistered'],
    means: 'The forge does not know the runner any more, and let it in no longer.',
    needs: 'The lines of the runner about that as its last word, and a code that its launcher gives then.',
    mustNotConclude: 'Who deleted it: the forge does so itself with runners that it has not heard for long.',
    nextSteps: [
      "Look in the forge's audit log for the removal; see whether two programs tend the same runners.",
    ],
    fires: (known) => lastWord(known, 'deregistered', 'runner-deregistered'),
  }),
  rule({
    name: 'its version was refused',
    gives: ['runner-outdated'],
    means: 'The forge gives no more jobs to this version of the runner.',
    needs: 'The lines of the runner about that as its last word, or exit code 7 of the listener.',
    mustNotConclude: 'That one runner is affected: all of that image are.',
    nextSteps: ['Put a newer version of the runner into the image of the pool.'],
    fires: outdated,
  }),
  rule({
    name: 'its job was taken back before it fetched it',
    gives: ['clean'],
    means: 'The job was cancelled or given to another when the runner asked for it; it ended without one.',
    needs: 'Exit code 0, and "Job message not found" as the last word of the runner about a job.',
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
    needs: 'Exit code 0, and the line "Exiting with unknown error code" as the last word of the launcher.',
    mustNotConclude: 'That the end was clean, or that it is proven: the line stands in the log.',
    nextSteps: ['Judge by the code that the line names; exit code 0 says nothing here.'],
    fires: hiddenCode,
  }),
]

function lastWord(
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
  if (ending.exitCode !== OUTDATED || ending.tail !== '') return null
  return unsure(
    'runner-outdated',
    "Exit code 7 is that of GitHub's runner for a version that is refused; no log says so.",
  )
}

function hiddenCode(known: Known): Finding | null {
  const { ending, log } = known
  if (ending.exitCode !== 0 || isHeard(known.forge) || !isLast(log, 'hiddenCode', 'runningJob', 'inOrder'))
    return null
  const code = Number(/code: (\d{1,3})\b/.exec(log.hiddenCode?.line ?? '')?.[1])
  const said = ['Its launcher ended with exit code 0.', quote(log, 'hiddenCode')]
  if (code === 137) {
    const counted = countedOutside(known)
    if (counted === 0) return likely('sigkill-unknown', ...said, ...memoryClaims(known))
    return likely('guest-oom', ...said, `${counted} kill(s) for memory were counted from outside.`)
  }
  const fault = faultNames[code]
  return fault === undefined
    ? likely('failed', ...said)
    : likely('crash', ...said, `That stands for ${fault}.`)
}

/** The code is one of the listener's, and neither the forge nor the log says that its job was done. */
function mayBeListener({ ending, forge, log }: Known): boolean {
  return ending.signal === null && listenerCodes.has(ending.exitCode) && !isHeard(forge) && !logSaysDone(log)
}

function codeWords({ ending }: Known): string {
  return ending.exitCode === null
    ? 'Its exit code is not known.'
    : `It ended with exit code ${ending.exitCode}.`
}

function isHeard(forge: ForgeView): boolean {
  return forge === 'agrees' || forge === 'fits'
}
