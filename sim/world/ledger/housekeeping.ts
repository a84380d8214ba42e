import type { Handle } from '../../../src/domain/attempt/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { EvidenceRow, JobFile, TimelineRow } from '../../../src/ports/ledger.ts'
import type { Sealed } from '../../../src/ports/vault.ts'
import { jobFile } from './reading.ts'
import { filter, type State } from './state.ts'
import type { Tx } from './transaction.ts'

/** As long as the forge delivers again, it must be known that a delivery came. */
const knownForMs = 4 * 86_400_000

/** Rows that have the new key already are not counted, so that the caller goes on until nothing is left. */
export function resealJits(tx: Tx, reseal: (jit: Sealed, handle: Handle) => Sealed, limit: number): number {
  const { jits, attempts } = tx.state
  let count = 0
  for (const [attemptId, jit] of jits) {
    if (count === limit) break
    const attempt = attempts.get(attemptId)
    if (attempt === undefined || attempt.deliveredAt !== null) continue
    const resealed = reseal(jit, attempt.handle)
    if (resealed.keyId === jit.keyId) continue
    jits.set(attemptId, resealed)
    count += 1
  }
  return count
}

/** A job that ended leaves with its attempts, timeline, decisions and proofs; a runner's death stays with the runner. */
export function archive(tx: Tx, olderThanMs: number, limit: number): number {
  const { state } = tx
  const isOver = isEndedBefore(tx, olderThanMs)
  const held = jobsOfLiveRunners(state)
  const ended = oldest(
    filter(state.jobs, (job) => isOver(job) && !held.has(job.id)),
    limit,
  )
  for (const job of ended) {
    const file = jobFile(state, job.id) as JobFile
    const evidence = file.evidence.filter(({ kind }) => kind !== 'runner-death')
    state.archived.set(job.id, { ...file, evidence, archived: true })
    state.jobs.delete(job.id)
    for (const attempt of file.attempts) state.attempts.delete(attempt.id)
    for (const decision of file.decisions) state.decisions.delete(decision.id)
    for (const row of file.evidence) if (row.kind !== 'runner-death') state.evidence.delete(row.id)
    state.timeline = state.timeline.filter((row) => row.jobId !== job.id)
  }
  dropDeliveries(state, ['done', 'ignored'], tx.now - Math.max(olderThanMs, knownForMs))
  return Math.max(ended.length, archiveRunners(tx, olderThanMs, limit))
}

/** The JIT of a live runner stays as long as the runner: it has the name under which the forge knows it. */
function jobsOfLiveRunners(state: State): ReadonlySet<number> {
  const live = filter(state.attempts, ({ runnerId }) => state.runners.get(runnerId)?.endedAt === null)
  return new Set(live.map(({ jobId }) => jobId))
}

/** A runner leaves with its death once all its jobs are archived. */
function archiveRunners({ state, now }: Tx, olderThanMs: number, limit: number): number {
  const busy = new Set([...state.attempts.values()].map(({ runnerId }) => runnerId))
  const ended = filter(
    state.runners,
    ({ id, endedAt }) => endedAt !== null && endedAt <= now - olderThanMs && !busy.has(id),
  )
  const leaving = oldest(ended, limit)
  for (const runner of leaving) {
    const death = state.evidence.get(runner.evidenceId as number) as EvidenceRow
    const isOwn = (row: TimelineRow) =>
      row.subject === 'runner' && row.subjectId === runner.id && row.jobId === null
    const timeline = state.timeline.filter(isOwn)
    const decisions = filter(state.decisions, (row) => row.runnerId === runner.id && row.jobId === null)
    state.archivedRunners.set(runner.id, { runner, death, timeline, decisions })
    state.timeline = state.timeline.filter((row) => !isOwn(row))
    for (const { id } of decisions) state.decisions.delete(id)
    state.evidence.delete(death.id)
    state.runners.delete(runner.id)
  }
  return leaving.length
}

export function purge(tx: Tx, olderThanMs: number, limit: number): number {
  const { archived, incidents } = tx.state
  const before = tx.now - olderThanMs
  const files = [...archived.values()].map((file) => file.job)
  const dropped = oldest(files.filter(isEndedBefore(tx, olderThanMs)), limit)
  for (const job of dropped) archived.delete(job.id)
  dropDeliveries(tx.state, ['poison'], before)
  for (const { id, closedAt } of incidents.values()) {
    if (closedAt !== null && closedAt <= before) incidents.delete(id)
  }
  return Math.max(dropped.length, purgeRunners(tx, olderThanMs, limit))
}

/** A job that went on after its runner died needs the death as long as it is kept itself. */
function purgeRunners({ state, now }: Tx, olderThanMs: number, limit: number): number {
  const { archived, archivedRunners } = state
  const needed = new Set([...archived.values()].flatMap((file) => file.attempts.map((each) => each.runnerId)))
  const ended = [...archivedRunners.values()]
    .map(({ runner }) => runner)
    .filter(({ id, endedAt }) => (endedAt as number) <= now - olderThanMs && !needed.has(id))
  const dropped = oldest(ended, limit)
  for (const { id } of dropped) archivedRunners.delete(id)
  return dropped.length
}

function dropDeliveries({ deliveries }: State, states: readonly string[], before: Instant): void {
  for (const { guid, state, settledAt } of deliveries.values()) {
    if (states.includes(state) && settledAt !== null && settledAt <= before) deliveries.delete(guid)
  }
}

function isEndedBefore(tx: Tx, olderThanMs: number): (job: Job) => boolean {
  return (job) => job.endedAt !== null && job.endedAt <= tx.now - olderThanMs
}

function oldest<T extends { readonly id: number; readonly endedAt: Instant | null }>(
  rows: T[],
  limit: number,
): T[] {
  return rows.sort((a, b) => (a.endedAt as number) - (b.endedAt as number) || a.id - b.id).slice(0, limit)
}
