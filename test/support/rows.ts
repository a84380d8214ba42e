import type { Attempt } from '../../src/domain/attempt/index.ts'
import type { Ending } from '../../src/domain/death/index.ts'
import type { Job } from '../../src/domain/job/index.ts'
import type { JobEvent } from '../../src/domain/job-event/index.ts'
import { type Pool, poolDefaults } from '../../src/domain/pool/index.ts'
import type { Runner } from '../../src/domain/runner/index.ts'

/** The time in tests of pure code. */
export const now = Date.UTC(2026, 0, 2, 3, 4, 5)

export function aJob(over: Partial<Job> = {}): Job {
  return {
    id: 1,
    installation: 'forge',
    forgeJobId: 101,
    runId: 11,
    runAttempt: 1,
    repository: 'acme/app',
    owner: 'acme',
    name: 'build',
    visibility: 'private',
    labels: ['self-hosted', 'linux'],
    pool: 'linux',
    priority: 'normal',
    shareTag: 0,
    state: 'queued',
    conclusion: null,
    executor: null,
    mintFailures: 0,
    requeues: 0,
    notBefore: now - 1000,
    quarantine: null,
    forgeQueuedAt: null,
    forgeStartedAt: null,
    forgeCompletedAt: null,
    seenAt: now - 1000,
    checkAt: now + 60_000,
    endedAt: null,
    ...over,
  }
}

export function anAttempt(over: Partial<Attempt> = {}): Attempt {
  return {
    id: 1,
    handle: '00000001-0000-4000-8000-000000000000',
    jobId: 1,
    claimedJobId: 1,
    runnerId: 1,
    state: 'claimed',
    forgeRunnerName: 'linux-1-00000001',
    forgeRunnerId: null,
    claimedAt: now - 900,
    mintedAt: null,
    deliveredAt: null,
    acknowledgedAt: null,
    registeredAt: null,
    startedAt: null,
    endedAt: null,
    endReason: null,
    evidenceId: null,
    checkAt: now + 60_000,
    ...over,
  }
}

export function aRunner(over: Partial<Runner> = {}): Runner {
  return {
    id: 1,
    name: 'linux-1',
    pool: 'linux',
    host: 'host-1',
    state: 'polling',
    identityHash: 'hash',
    podUid: null,
    createdAt: now - 5000,
    polledAt: now - 4000,
    everClaimed: false,
    fencedAt: null,
    endedAt: null,
    reason: null,
    evidenceId: null,
    checkAt: now + 60_000,
    ...over,
  }
}

export function aPool(over: Partial<Pool> = {}): Pool {
  return {
    ...poolDefaults,
    name: 'linux',
    labels: ['self-hosted', 'linux'],
    minWarm: 0,
    maxRunners: 4,
    priorities: [],
    fairness: { weights: {}, capPerRepository: null, capPerOwner: null, ageingMs: 3_600_000 },
    ...over,
  }
}

/** An event of the forge about a job. */
export function aJobEvent(job: Job, status: JobEvent['status'], over: Partial<JobEvent> = {}): JobEvent {
  const { installation, forgeJobId, runId, runAttempt, repository, name, labels } = job
  return {
    job: { installation, forgeJobId, runId, runAttempt, repository, name, labels },
    status,
    runnerName: null,
    conclusion: status === 'completed' ? 'success' : null,
    queuedAt: null,
    startedAt: null,
    completedAt: null,
    ...over,
  }
}

export function anEnding(over: Partial<Ending> = {}): Ending {
  return {
    exitCode: null,
    signal: null,
    startedAt: now - 3000,
    endedAt: now - 1000,
    tail: '',
    oomKills: 0,
    memoryPeakBytes: null,
    memoryLimitBytes: null,
    samples: [],
    stopRequestedBy: null,
    pod: null,
    missing: [],
    ...over,
  }
}
