import type { StepFact } from '../snapshot/index.ts'
import type { FailedJob, JobFailureFacts, RunnerSeen } from './facts.ts'

const startedAt = Date.UTC(2026, 5, 1, 2, 50, 0)
const stepMs = 60_000

/** For tests: steps of a minute each, with the conclusions given. */
export function steps(...given: readonly (readonly [name: string, conclusion: string | null])[]): StepFact[] {
  return given.map(([name, conclusion], index) => ({
    number: index + 1,
    name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    startedAt: startedAt + index * stepMs,
    completedAt: conclusion === null ? null : startedAt + (index + 1) * stepMs - 1_000,
  }))
}

/** For tests: the lines as GitHub keeps them, written during the step of this number. */
export function writtenIn(step: number, ...lines: readonly string[]): string {
  const at = startedAt + (step - 1) * stepMs + 500
  return lines.map((line) => `${new Date(at).toISOString()} ${line}\n`).join('')
}

/** For tests: a job whose tests failed. */
export function failedJob(given: Partial<FailedJob> = {}): FailedJob {
  return {
    conclusion: 'failure',
    steps: steps(
      ['Set up job', 'success'],
      ['Run actions/checkout@v4', 'success'],
      ['Run npm test', 'failure'],
      ['Complete job', 'success'],
    ),
    annotations: [],
    ...given,
  }
}

const gib = 2 ** 30

/** For tests: a runner that ended in order, with nothing killed for memory. */
export function runnerSeen(given: Partial<RunnerSeen> = {}): RunnerSeen {
  return {
    end: { class: 'clean', confidence: 'proven' },
    isLost: false,
    memory: { oomKills: 0, peakBytes: gib, limitBytes: 4 * gib },
    isBeyondItsJob: true,
    fileTableShare: 0.1,
    ...given,
  }
}

/** For tests: everything was read, and the tests failed by themselves. */
export function failureFacts(given: Partial<JobFailureFacts> = {}): JobFailureFacts {
  return {
    job: failedJob(),
    log: writtenIn(
      3,
      '##[group]Run npm test',
      '1 test failed',
      '##[error]Process completed with exit code 1.',
    ),
    runner: runnerSeen(),
    ...given,
  }
}
