import type { Attempt } from '../../../src/domain/attempt/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Runner } from '../../../src/domain/runner/index.ts'
import type { DecisionRow, TimelineRow } from '../../../src/ports/ledger.ts'
import type { State } from './state.ts'

type Rows = Readonly<State>

/** Rows of the ledger in its tables and in the archive, for checkers. */
export function allJobs({ jobs, archived }: Rows): Job[] {
  return [...jobs.values(), ...[...archived.values()].map(({ job }) => job)]
}

export function allAttempts({ attempts, archived }: Rows): Attempt[] {
  return [...attempts.values(), ...[...archived.values()].flatMap((file) => file.attempts)]
}

export function allRunners({ runners, archivedRunners }: Rows): Runner[] {
  return [...runners.values(), ...[...archivedRunners.values()].map(({ runner }) => runner)]
}

export function allTimeline({ timeline, archived, archivedRunners }: Rows): TimelineRow[] {
  return [
    ...timeline,
    ...[...archived.values(), ...archivedRunners.values()].flatMap((file) => file.timeline),
  ]
}

export function allDecisions({ decisions, archived, archivedRunners }: Rows): DecisionRow[] {
  const files = [...archived.values(), ...archivedRunners.values()]
  return [...decisions.values(), ...files.flatMap((file) => file.decisions)]
}
