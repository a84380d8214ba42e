import { classifyDeath, type DeathRecord, type Ending } from '../../../src/domain/death/index.ts'
import { type Job, originOf } from '../../../src/domain/job/index.ts'
import type { ForgeJob, JobEvent } from '../../../src/domain/job-event/index.ts'
import { type Pool, poolDefaults } from '../../../src/domain/pool/index.ts'
import type { Cause } from '../../../src/ports/ledger.ts'
import type { Sealed } from '../../../src/ports/vault.ts'

/** The forge installation that every ledger under test must know. */
export const contractInstallation = 'contract'

/** Longer than any test takes: a deadline that does not pass. */
/** Where the runners of the tests live. */
export const host = 'host-1'
export const farMs = 3_600_000

export const cause: Cause = { source: 'audit' }
const labels = ['self-hosted', 'linux'] as const

export function pool(
  over: Partial<Omit<Pool, 'fairness'>> & { fairness?: Partial<Pool['fairness']> } = {},
): Pool {
  const { fairness, ...rest } = over
  return {
    ...poolDefaults,
    name: 'linux',
    labels: [...labels],
    minWarm: 0,
    maxRunners: 10,
    priorities: [],
    ...rest,
    fairness: { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 10 * farMs, ...fairness },
  }
}

export type JobEventOver = Partial<Omit<JobEvent, 'job'>> & Partial<ForgeJob>

/** An event of the forge about its job `forgeJobId`. */
export function jobEvent(forgeJobId: number, status: JobEvent['status'], over: JobEventOver = {}): JobEvent {
  const { runnerName = null, conclusion = null, queuedAt = null, startedAt = null, completedAt = null } = over
  return {
    job: {
      installation: over.installation ?? contractInstallation,
      forgeJobId,
      runId: over.runId ?? 1,
      runAttempt: over.runAttempt ?? 1,
      repository: over.repository ?? 'acme/app',
      name: over.name ?? 'build',
      ...(over.workflow === undefined ? {} : { workflow: over.workflow }),
      ...('visibility' in over ? originOf(over) : { visibility: 'private', ...originOf(over) }),
      labels: over.labels ?? [...labels],
    },
    status,
    runnerName,
    conclusion: conclusion ?? (status === 'completed' ? 'success' : null),
    queuedAt,
    startedAt,
    completedAt,
    ...(over.waitsForApproval && { waitsForApproval: true as const }),
  }
}

/** `in_progress` for a job that is known already. */
export function started(job: Job, runnerName: string, over: JobEventOver = {}): JobEvent {
  return jobEvent(job.forgeJobId, 'in_progress', {
    repository: job.repository,
    name: job.name,
    labels: job.labels,
    runnerName,
    ...over,
  })
}

export function completed(job: Job, runnerName: string | null, over: JobEventOver = {}): JobEvent {
  return jobEvent(job.forgeJobId, 'completed', {
    repository: job.repository,
    name: job.name,
    labels: job.labels,
    runnerName,
    ...over,
  })
}

export function jit(text: string, keyId = 'key-1'): Sealed {
  return { keyId, bytes: new TextEncoder().encode(`sealed ${text}`) }
}

/** A death record as the lifecycle would seal it. */
export function death(over: Partial<Ending> = {}): DeathRecord {
  return classifyDeath({
    exitCode: null,
    signal: 'SIGKILL',
    startedAt: 1,
    endedAt: 2,
    tail: '',
    oomKills: 0,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: null,
    pod: null,
    missing: [],
    ...over,
  })
}

/** Evidence that a delivered attempt came to nothing. */
export const neverRegistered = {
  kind: 'neverRegistered',
  proof: { kind: 'never-registered', record: { forgeRunner: 'absent' } },
  fate: { kind: 'requeue', delayMs: 0 },
} as const
