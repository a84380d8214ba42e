import { isOpen, type Job } from '../../../src/domain/job/index.ts'
import type { Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { EvidenceRow, JobFile, SealedDeath, UnusedRegistration } from '../../../src/ports/ledger.ts'
import { isSame } from './job-events.ts'
import { filter, find, type State } from './state.ts'
import { mustRead } from './unreadable.ts'

/** All that is known about one job, open, ended or archived. */
export function jobFile(state: State, jobId: number): JobFile | null {
  const job = state.jobs.get(jobId)
  if (job === undefined) return archivedFile(state, jobId)
  const attempts = filter(state.attempts, (attempt) => attempt.jobId === jobId)
  mustRead(state, { job })
  for (const attempt of attempts) mustRead(state, { attempt })
  return {
    job,
    attempts,
    timeline: state.timeline.filter((row) => row.jobId === jobId),
    decisions: filter(state.decisions, (decision) => decision.jobId === jobId),
    evidence: evidenceOf(state, attempts),
    archived: false,
  }
}

/** How its runners died stands with them. */
function archivedFile(state: State, jobId: number): JobFile | null {
  const file = state.archived.get(jobId)
  if (file === undefined) return null
  const kept = new Set(file.evidence.map(({ id }) => id))
  const ofRunners = file.attempts.flatMap(({ runnerId }) => state.archivedRunners.get(runnerId)?.death ?? [])
  const later = [...evidenceOf(state, file.attempts), ...new Set(ofRunners)].filter(({ id }) => !kept.has(id))
  return { ...file, evidence: [...file.evidence, ...later].toSorted((a, b) => a.id - b.id) }
}

/** Death records with a greater number, in their order. */
export function deathsAfter(state: State, evidenceId: number, limit: number): SealedDeath[] {
  const runnerOf = (id: number) => state.runners.get(id) as Runner
  const live = filter(state.evidence, ({ kind }) => kind === 'runner-death').map(
    (death) => [death, runnerOf(death.runnerId as number)] as const,
  )
  const archived = [...state.archivedRunners.values()].map(({ death, runner }) => [death, runner] as const)
  return [...live, ...archived]
    .filter(([{ id }]) => id > evidenceId)
    .sort(([a], [b]) => a.id - b.id)
    .slice(0, limit)
    .map(([{ id, sealedAt, record }, { id: runnerId, name, pool, host }]) => ({
      id,
      runnerId,
      runner: name,
      pool,
      host,
      sealedAt,
      record,
    }))
}

/** The ends of attempts, and the deaths of their runners. */
function evidenceOf(state: State, attempts: JobFile['attempts']): EvidenceRow[] {
  const ids = new Set(
    attempts.flatMap((attempt) => [
      attempt.evidenceId,
      state.runners.get(attempt.runnerId)?.evidenceId ?? null,
    ]),
  )
  return filter(state.evidence, (row) => ids.has(row.id))
}

export function findRunner(state: State, name: string): Runner | null {
  const runner = find(state.runners, (each) => each.name === name)
  mustRead(state, { runner })
  return runner
}

export function findJob(state: State, installation: string, forgeJobId: number): Job | null {
  const open = find(state.jobs, (job) => isSame(job, installation, forgeJobId))
  mustRead(state, { job: open })
  return open ?? find(state.archived, ({ job }) => isSame(job, installation, forgeJobId))?.job ?? null
}

/** Runs with a job first seen since then, and none that is open. */
export function settledRuns(state: State, installation: string, since: Instant): Set<number> {
  const known = [...state.jobs.values(), ...[...state.archived.values()].map(({ job }) => job)].filter(
    (job) => job.installation === installation,
  )
  const runs = new Set(known.filter(({ seenAt }) => seenAt >= since).map(({ runId }) => runId))
  for (const job of known) if (isOpen(job)) runs.delete(job.runId)
  return runs
}

/** Registrations whose attempt the forge ended before its runner was seen. */
export function unusedRegistrations(
  state: State,
  installation: string,
  since: Instant,
): UnusedRegistration[] {
  return [...state.attempts.values()].flatMap((attempt) => {
    const { endedAt, forgeRunnerName } = attempt
    const job = state.jobs.get(attempt.jobId)
    const isSeen = attempt.registeredAt !== null || attempt.startedAt !== null
    const isByForge = attempt.endReason === 'taken-elsewhere' || attempt.endReason === 'finished'
    if (endedAt === null || endedAt < since || !isByForge || isSeen) return []
    if (job?.installation !== installation || job.executor === forgeRunnerName) return []
    return [{ repository: job.repository, forgeRunnerName, endedAt }]
  })
}
