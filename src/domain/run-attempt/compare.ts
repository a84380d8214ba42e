import type { ForgeJobFact } from '../snapshot/index.ts'
import { type AttemptKnown, attemptsOf, type RunAttempt } from './run-attempt.ts'

/** The result of several attempts of a job on one commit. */
export const attemptOutcomes = [
  /** One passed, one failed: the pass is the result. */
  'passed-on-same-commit',
  'failed-every-time',
  /** A newer attempt is not over. */
  'not-over',
  /** Different commits, unknown ones, or fewer than two results. */
  'not-comparable',
] as const
type AttemptOutcome = (typeof attemptOutcomes)[number]

/** The attempts of a job side by side, and what follows from them. */
export interface AttemptComparison {
  readonly attempts: readonly RunAttempt[]
  readonly outcome: AttemptOutcome
  readonly sentence: string
  readonly mustNotConclude: readonly string[]
  /** Attempts that the forge must have had and that were not read, and facts that they lack. */
  readonly unknown: readonly string[]
  readonly nextSteps: readonly string[]
}

/** Compares the attempts of a job by their commit; null where there was only one. */
export function compareAttempts(
  of: ForgeJobFact,
  jobs: readonly ForgeJobFact[],
  known: AttemptKnown,
): AttemptComparison | null {
  const attempts = attemptsOf(of, jobs, known)
  const unread = missingNumbers(attempts)
  if (attempts.length + unread.length < 2) return null
  const judged = judge(of, attempts)
  return {
    attempts,
    ...judged,
    mustNotConclude: [...judged.mustNotConclude, ...otherCommits(of, attempts)],
    unknown: [
      ...unread.map((number) => `attempt ${number}: the forge does not show it, or it was not read`),
      ...attempts
        .filter(({ job }) => job.headSha === null)
        .map(({ number }) => `which commit attempt ${number} ran`),
      ...attempts
        .filter(({ job }) => job.status === 'completed' && job.conclusion === null)
        .map(({ number }) => `how attempt ${number} ended: the forge does not keep it`),
    ],
  }
}

type Judged = Pick<AttemptComparison, 'outcome' | 'sentence' | 'mustNotConclude' | 'nextSteps'>

const failures: ReadonlySet<string | null> = new Set(['failure', 'timed_out', 'startup_failure'])

function judge({ headSha }: ForgeJobFact, attempts: readonly RunAttempt[]): Judged {
  if (headSha === null) return notComparable('The commit is not known: the attempts are no comparison.')
  if (new Set(attempts.map(({ number }) => number)).size < attempts.length)
    return notComparable(
      'One attempt has several jobs of this name: which belong together is not known, and they are no comparison.',
    )
  const same = attempts.filter(({ job, isCarriedOver }) => job.headSha === headSha && !isCarriedOver)
  const passed = same.filter(({ job }) => job.conclusion === 'success')
  const failed = same.filter(({ job }) => failures.has(job.conclusion))
  const open = same.filter(({ job }) => job.status !== 'completed')
  const on = `on the same commit (${headSha.slice(0, shaCharsShown)})`
  if (passed.length > 0 && failed.length > 0) return passedAndFailed(passed, failed, on)
  if (open.length > 0 && failed.length > 0)
    return {
      outcome: 'not-over',
      sentence: `${namesOf(open)} of the same commit is not over: there is no result yet.`,
      mustNotConclude: ['A failure before it is no result as long as a retry runs.'],
      nextSteps: [],
    }
  if (failed.length > 1) return failedEveryTime(failed, on)
  return notComparable(`Fewer than two attempts ${on} ended by themselves: there is nothing to compare.`)
}

function passedAndFailed(passed: readonly RunAttempt[], failed: readonly RunAttempt[], on: string): Judged {
  const changed = differenceText([...failed, ...passed])
  return {
    outcome: 'passed-on-same-commit',
    sentence: `${namesOf(passed)} passed and ${namesOf(failed).toLowerCase()} failed ${on}: the pass is the result, and the failure is kept as evidence.${changed}`,
    mustNotConclude: [
      'The failure does not prove the commit broken: it passes. Its runner, its node, or a test that does not always pass may be the cause.',
      'The pass does not undo the failure: its cause is still there for the next job.',
    ],
    nextSteps: [`Look for the cause where the attempts differ (runner, node, time)${stepText(failed)}.`],
  }
}

function failedEveryTime(failed: readonly RunAttempt[], on: string): Judged {
  const steps = new Set(failed.map(stepOf))
  const where = steps.size > 1 ? ', in different steps' : stepText(failed)
  return {
    outcome: 'failed-every-time',
    sentence: `${namesOf(failed)} failed ${on}${where}.${differenceText(failed)}`,
    mustNotConclude: [
      'Failing twice does not prove the code at fault: compare the verdicts, and whether they share a node or a lane.',
      'Another retry adds no evidence.',
    ],
    nextSteps: [
      'Keep the attempts together as one case, and let a person look at both before anything is run again.',
    ],
  }
}

function notComparable(sentence: string): Judged {
  return { outcome: 'not-comparable', sentence, mustNotConclude: [], nextSteps: [] }
}

const shaCharsShown = 7

function otherCommits({ headSha }: ForgeJobFact, attempts: readonly RunAttempt[]): string[] {
  const others = attempts.filter(
    ({ job }) => headSha !== null && job.headSha !== null && job.headSha !== headSha,
  )
  return others.map(
    ({ number, job }) =>
      `Attempt ${number} ran another commit (${job.headSha?.slice(0, shaCharsShown)}): it is no comparison, whatever its result.`,
  )
}

/** Numbers below the newest that no job has: every attempt of a run has every job. */
function missingNumbers(attempts: readonly RunAttempt[]): readonly number[] {
  const there = new Set(attempts.map(({ number }) => number))
  const newest = Math.max(0, ...there)
  const first = Math.max(1, newest - missingMax)
  return Array.from({ length: newest - first }, (_, index) => first + index).filter(
    (number) => !there.has(number),
  )
}

/** More are not worth a line each. */
const missingMax = 10

function namesOf(attempts: readonly RunAttempt[]): string {
  const numbers = attempts.map(({ number }) => number)
  return numbers.length === 1
    ? `Attempt ${numbers[0]}`
    : `Attempts ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`
}

function differenceText(attempts: readonly RunAttempt[]): string {
  const inOrder = attempts.toSorted((a, b) => a.number - b.number)
  const nodes = inOrder.map(({ node }) => node)
  if (nodes.includes(null)) return ''
  const different = new Set(nodes)
  return different.size === 1
    ? ` All of these ran on node ${nodes[0]}.`
    : ` They ran on the nodes ${[...different].join(', ')}.`
}

function stepText(attempts: readonly RunAttempt[]): string {
  const step = attempts[0] === undefined ? null : stepOf(attempts[0])
  return step === null ? '' : `, in the step "${step}"`
}

/** The step in which an attempt failed; null where none is known. */
export function stepOf({ job, verdict }: RunAttempt): string | null {
  const failed = job.steps?.find(({ conclusion }) => failures.has(conclusion))
  return verdict?.step ?? failed?.name ?? null
}
