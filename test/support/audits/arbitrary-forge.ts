import fc from 'fast-check'
import type { StepFact } from '../../../src/domain/snapshot/index.ts'
import {
  forgeJobFact,
  forgeRunnerFact,
  minuteMs,
  readAt,
} from '../../../src/domain/snapshot/testing/facts.ts'
import { mostly, past, repositories, runnerNames, setOf, someOf } from './choose.ts'

const steps: readonly StepFact[] = [
  {
    number: 1,
    name: 'Run tests',
    status: 'completed',
    conclusion: 'success',
    startedAt: null,
    completedAt: null,
  },
  {
    number: 2,
    name: 'Complete job',
    status: 'completed',
    conclusion: 'success',
    startedAt: null,
    completedAt: null,
  },
]

const jobIds = ['1', '2', '3', '4'] as const

/** Runners, jobs, logs and budgets as the forge reports them. */
export const forgeFacts = {
  forgeRunners: someOf(runnerNames, (name) =>
    fc
      .record({ isOnline: mostly(true, false), isBusy: mostly(false, true) })
      .map((given) => forgeRunnerFact(name, { ...given, labels: [setOf(name)] })),
  ),
  jobs: someOf(jobIds, (id) =>
    fc
      .record({
        state: mostly(
          { status: 'queued', conclusion: null },
          { status: 'in_progress', conclusion: null },
          { status: 'completed', conclusion: 'success' },
          { status: 'completed', conclusion: 'failure' },
          { status: 'completed', conclusion: 'cancelled' },
        ),
        labels: mostly(['linux'], ['gpu'], ['shared'], ['nowhere']),
        runnerName: fc.option(fc.constantFrom(...runnerNames)),
        repository: fc.constantFrom(...repositories),
        runId: mostly(31, 32),
        steps: mostly<readonly StepFact[] | null>(null, steps),
        queuedAt: past,
      })
      .map(({ state, ...given }) =>
        forgeJobFact(Number(id), {
          ...given,
          ...state,
          runnerName: state.status === 'queued' ? null : given.runnerName,
          startedAt: state.status === 'queued' ? null : given.queuedAt,
          completedAt: state.status === 'completed' ? readAt - minuteMs : null,
        }),
      ),
  ),
  jobLogs: someOf(jobIds, (id) =>
    fc
      .constantFrom(
        'The self-hosted runner lost communication with the server.',
        'error: interrupted by the user',
        'Error: spawn ps ENFILE',
        'builder failed due to signal 9 (Killed)',
        'npm error code UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
        'all tests passed',
      )
      .map((line) => ({ repository: repositories[0], jobId: Number(id), lines: [line], isCut: false })),
  ),
  budgets: someOf(['arc-runners/github-app', 'settings'], (credential) =>
    fc
      .record({
        kind: mostly('app', 'personal-token', 'unknown'),
        remaining: mostly<number | null>(4_900, 40, 0, null),
      })
      .map(({ kind, remaining }) => ({
        credential,
        kind,
        at: readAt,
        ...(remaining === null
          ? { limit: null, remaining, resetAt: null }
          : { limit: 5_000, remaining, resetAt: readAt + 30 * minuteMs }),
      })),
  ),
}
