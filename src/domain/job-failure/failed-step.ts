import type { StepFact } from '../snapshot/index.ts'
import type { Instant } from '../time.ts'
import type { JobFailureFacts } from './facts.ts'

/** The step in which a job failed. */
export interface FailedStep {
  readonly name: string
  /** `forge`: its list of steps says so. `log`: only the log does. */
  readonly source: 'forge' | 'log'
  /** Whether steps of the workflow itself stand before it; null where that is not known. */
  readonly isFirstOwn: boolean | null
  /** The part of the log that it wrote; null where the log was not read. */
  readonly log: string | null
}

/** Steps that the runner adds around those of the workflow. */
const runnerSteps: readonly RegExp[] = [/^Set up (?:job|runner)$/, /^Initialize containers$/, /^Pull /]
/** Times of steps are in whole seconds, those of lines are not. */
const roundingMs = 1_000
const stepLine = /##\[group\]Run (.+)$/
const stamp = /^\uFEFF?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z) /

/** Whether the runner itself does this step, before those of the workflow. */
export function isRunnerStep(name: string): boolean {
  return runnerSteps.some((pattern) => pattern.test(name))
}

/** The step that failed first; null where neither the forge nor the log says it. */
export function failedStepOf({ job, log }: JobFailureFacts): FailedStep | null {
  const steps = job?.steps ?? []
  const failed = steps.find(({ conclusion }) => conclusion === 'failure' || conclusion === 'timed_out')
  if (failed === undefined) return log === null ? null : inLog(log)
  const before = steps.filter(({ number }) => number < failed.number)
  return {
    name: failed.name,
    source: 'forge',
    isFirstOwn: before.every(({ name }) => isRunnerStep(name)),
    log: log === null ? null : (partOf(log, failed) ?? log),
  }
}

/** The lines of a step by their times; null where lines or step have none. */
function partOf(log: string, { startedAt, completedAt }: StepFact): string | null {
  if (startedAt === null || completedAt === null) return null
  const lines = log.split('\n')
  const isWithin = (at: Instant) => at >= startedAt && at <= completedAt + roundingMs
  const part = lines.filter((line) => {
    const written = stamp.exec(line)?.[1]
    return written !== undefined && isWithin(Date.parse(written))
  })
  return part.length === 0 ? null : part.join('\n')
}

/** GitHub's runner begins a step with `##[group]Run …` and ends one that failed with `##[error]…`. */
function inLog(log: string): FailedStep | null {
  const lines = log.split('\n')
  const ends = lines.findIndex((line) => line.includes('##[error]Process completed with exit code '))
  const last = ends === -1 ? lines.findIndex((line) => line.includes('##[error]')) : ends
  if (last === -1) return null
  const first = lines.slice(0, last).findLastIndex((line) => stepLine.test(line))
  if (first === -1) return null
  return {
    name: `Run ${stepLine.exec(lines[first]?.trimEnd() ?? '')?.[1] ?? ''}`,
    source: 'log',
    isFirstOwn: !lines.slice(0, first).some((line) => stepLine.test(line)),
    log: lines.slice(first, last + 1).join('\n'),
  }
}
