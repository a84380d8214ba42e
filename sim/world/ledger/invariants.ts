import { type Attempt, attemptStates } from '../../../src/domain/attempt/index.ts'
import { HoldfastError } from '../../../src/domain/errors/index.ts'
import type { Incident } from '../../../src/domain/incident/index.ts'
import { isOpen, type Job, jobStates } from '../../../src/domain/job/index.ts'
import { isLive, type Runner, runnerStates } from '../../../src/domain/runner/index.ts'
import type { EvidenceRow } from '../../../src/ports/ledger.ts'
import type { Hold, State } from './state.ts'

/** The rows that these look at, of the in-memory ledger or of one snapshot of Postgres. */
export interface RefusableRows extends Pick<State, 'jobs' | 'attempts' | 'runners'> {
  readonly jits: ReadonlyMap<number, unknown>
  readonly evidence: ReadonlyMap<number, Pick<EvidenceRow, 'kind' | 'runnerId'>>
  readonly incidents: ReadonlyMap<
    number,
    Pick<Incident, 'kind' | 'installation' | 'scope' | 'key' | 'closedAt'>
  >
  readonly holds: readonly Pick<Hold, 'key' | 'incidentId'>[]
}

/** Refuses what the database refuses by its constraints and unique indexes; throws `E_BUG`. */
export function assertInvariants(state: RefusableRows): void {
  for (const job of state.jobs.values()) assertJob(job)
  for (const attempt of state.attempts.values()) assertAttempt(state, attempt)
  for (const runner of state.runners.values()) assertRunner(state, runner)
  for (const attemptId of state.jits.keys()) assertJit(state.attempts.get(attemptId), attemptId)
  assertOneOpenAttempt(state)
  assertOneDeath(state)
  assertIncidents(state)
}

function assertJob(job: Job): void {
  const of = `job ${job.id}`
  demand(jobStates.includes(job.state), `${of} is in no legal state: ${job.state}`)
  demand(isOpen(job) === (job.endedAt === null), `${of} is ${job.state} and endedAt is ${job.endedAt}`)
  demand(!isOver(job) || job.conclusion !== null, `${of} is ${job.state} without a conclusion`)
  demand(job.state !== 'running' || job.executor !== null, `${of} runs on nobody`)
  const mayBeWithheld = job.state === 'queued' || !isOpen(job)
  demand(job.quarantine === null || mayBeWithheld, `${of} is ${job.state} in quarantine`)
}

function isOver(job: Job): boolean {
  return job.state === 'completed' || job.state === 'cancelled'
}

function assertAttempt(state: RefusableRows, attempt: Attempt): void {
  const of = `attempt ${attempt.id}`
  const ended = attempt.endedAt !== null
  demand(attemptStates.includes(attempt.state), `${of} is in no legal state: ${attempt.state}`)
  demand((attempt.state === 'ended') === ended, `${of} is ${attempt.state} and endedAt is ${attempt.endedAt}`)
  demand(ended === (attempt.endReason !== null), `${of} has the end reason ${attempt.endReason}`)
  demand(state.jobs.has(attempt.jobId), `${of} is for job ${attempt.jobId}, which is not there`)
  demand(state.runners.has(attempt.runnerId), `${of} is on runner ${attempt.runnerId}, which is not there`)
  const proven = attempt.evidenceId !== null
  demand(attempt.deliveredAt === null || !ended || proven, `${of} was delivered and ended unproven (I3)`)
  demand(
    attempt.evidenceId === null || state.evidence.has(attempt.evidenceId),
    `${of} names evidence ${attempt.evidenceId}, which is not there`,
  )
}

function assertRunner(state: RefusableRows, runner: Runner): void {
  const of = `runner ${runner.id}`
  demand(runnerStates.includes(runner.state), `${of} is in no legal state: ${runner.state}`)
  demand(isLive(runner) === (runner.endedAt === null), `${of} is ${runner.state}, endedAt ${runner.endedAt}`)
  if (runner.endedAt === null) return
  const record = runner.evidenceId === null ? undefined : state.evidence.get(runner.evidenceId)
  demand(record?.runnerId === runner.id, `${of} ended without a death record of its own (I5)`)
}

const fetchable: readonly string[] = ['minted', 'delivered', 'acknowledged']

function assertJit(attempt: Attempt | undefined, attemptId: number): void {
  const state = attempt?.state ?? 'gone'
  demand(fetchable.includes(state), `a JIT is kept for attempt ${attemptId}, which is ${state} (I2)`)
}

function assertOneOpenAttempt(state: RefusableRows): void {
  const jobs = new Set<number>()
  const runners = new Set<number>()
  for (const attempt of state.attempts.values()) {
    if (attempt.endedAt !== null) continue
    demand(!jobs.has(attempt.jobId), `job ${attempt.jobId} has two open attempts (I1)`)
    demand(!runners.has(attempt.runnerId), `runner ${attempt.runnerId} has two open attempts (I1)`)
    jobs.add(attempt.jobId)
    runners.add(attempt.runnerId)
  }
}

function assertOneDeath(state: RefusableRows): void {
  const dead = new Set<number>()
  for (const { kind, runnerId } of state.evidence.values()) {
    demand((kind === 'runner-death') === (runnerId !== null), `evidence of ${kind} names runner ${runnerId}`)
    if (runnerId === null) continue
    demand(!dead.has(runnerId), `runner ${runnerId} died twice (I5)`)
    dead.add(runnerId)
  }
}

function assertIncidents(state: RefusableRows): void {
  const open = new Set<string>()
  for (const { kind, installation, scope, key, closedAt } of state.incidents.values()) {
    if (closedAt !== null) continue
    const what = [installation, scope, key, kind].join(' ')
    demand(!open.has(what), `the incident ${what} is open twice`)
    open.add(what)
  }
  for (const { key, incidentId } of state.holds) {
    const isLasting = incidentId === null || state.incidents.get(incidentId)?.closedAt === null
    demand(isLasting, `${key} is held for incident ${incidentId}, which is over`)
  }
}

function demand(holds: boolean, otherwise: string): void {
  if (!holds) throw new HoldfastError('E_BUG', { what: otherwise })
}
