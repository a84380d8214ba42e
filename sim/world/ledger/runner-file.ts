import type { DeathRecord } from '../../../src/domain/death/index.ts'
import type { Runner } from '../../../src/domain/runner/index.ts'
import {
  type EvidenceRow,
  type RunnerAttempt,
  type RunnerFile,
  runnerAttemptsMax,
} from '../../../src/ports/ledger.ts'
import { filter, find, type State } from './state.ts'
import { mustRead } from './unreadable.ts'

/** All that is known about one runner. */
export function runnerFile(state: State, name: string): RunnerFile | null {
  const runner = findByAnyName(state, name)
  if (runner === null) return archivedFile(state, name)
  mustRead(state, { runner })
  const attempts = filter(state.attempts, ({ runnerId }) => runnerId === runner.id)
    .slice(-runnerAttemptsMax)
    .map((attempt) => ({ attempt, job: state.jobs.get(attempt.jobId) }))
    .filter((row): row is RunnerAttempt => row.job !== undefined)
  for (const row of attempts) mustRead(state, row)
  const attemptIds = new Set(attempts.map(({ attempt }) => attempt.id))
  const isOfAttempt = (id: number | null) => id !== null && attemptIds.has(id)
  const proofs = new Set([runner.evidenceId, ...attempts.map(({ attempt }) => attempt.evidenceId)])
  return {
    runner,
    attempts,
    timeline: state.timeline.filter(
      ({ subject, subjectId }) =>
        (subject === 'runner' && subjectId === runner.id) ||
        (subject === 'attempt' && isOfAttempt(subjectId)),
    ),
    decisions: filter(
      state.decisions,
      ({ runnerId, attemptId }) => runnerId === runner.id || isOfAttempt(attemptId),
    ),
    evidence: filter(state.evidence, ({ id }) => proofs.has(id)),
  }
}

/** Its attempts stand in the files of their jobs. */
function archivedFile(state: State, name: string): RunnerFile | null {
  const archived = filter(state.archivedRunners, ({ runner }) => runner.name === name).at(-1)
  if (archived === undefined) return null
  const { runner, timeline, decisions, death } = archived
  return { runner, attempts: [], timeline, decisions, evidence: [death] }
}

/** The runner whose death record names this pod. */
export function runnerOfPod(state: State, podUid: string): string | null {
  const isOfPod = ({ record }: EvidenceRow) =>
    (record as Partial<DeathRecord>).ending?.pod?.place.uid === podUid
  const death = filter(state.evidence, (row) => row.kind === 'runner-death' && isOfPod(row)).at(-1)
  const runner = death && state.runners.get(death.runnerId as number)
  return (runner ?? filter(state.archivedRunners, (each) => isOfPod(each.death)).at(-1)?.runner)?.name ?? null
}

/** A name of its own counts before one that the forge gave to another. */
function findByAnyName(state: State, name: string): Runner | null {
  const own = find(state.runners, (runner) => runner.name === name)
  if (own !== null) return own
  const attempt = filter(state.attempts, ({ forgeRunnerName }) => forgeRunnerName === name).at(-1)
  return attempt === undefined ? null : (state.runners.get(attempt.runnerId) ?? null)
}
