import { judgeJobFailure } from '../job-failure/index.ts'
import { type AttemptComparison, compareAttempts } from '../run-attempt/index.ts'
import type { ForgeJobFact, Snapshot } from '../snapshot/index.ts'
import { logOf, podNamed, type TriageCase } from './case.ts'

/** All attempts of a case's job side by side; null where there was only one. */
export function attemptsOf({ job }: TriageCase, snapshot: Snapshot): AttemptComparison | null {
  if (job === null) return null
  return compareAttempts(job, snapshot.forge.jobs.items, {
    nodeOf: ({ runnerName }: ForgeJobFact) =>
      runnerName === null ? null : (podNamed(runnerName, null, snapshot)?.node ?? null),
    verdictOf: (each: ForgeJobFact) =>
      each.status === 'completed'
        ? judgeJobFailure({ job: each, log: logOf(each, snapshot)?.lines.join('\n') ?? null, runner: null })
        : null,
  })
}
