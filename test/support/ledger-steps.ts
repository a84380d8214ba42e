import { randomUUID } from 'node:crypto'
import { classifyDeath } from '../../src/domain/death/index.ts'
import { type Pool, poolDefaults } from '../../src/domain/pool/index.ts'
import type { Runner } from '../../src/domain/runner/index.ts'
import type { Cause, Claim, Ledger } from '../../src/ports/ledger.ts'

export const cause: Cause = { source: 'operator' }
const minuteMs = 60_000

export function linuxPool(fairness: Partial<Pool['fairness']> = {}): Pool {
  return {
    ...poolDefaults,
    name: 'linux',
    labels: ['self-hosted'],
    minWarm: 0,
    maxRunners: 1000,
    priorities: [],
    fairness: {
      weights: {},
      capPerRepository: null,
      capPerOwner: null,
      ageingMs: 60 * minuteMs,
      ...fairness,
    },
  }
}

/** A job that the forge reported as queued; gives its id. */
export async function enqueue(ledger: Ledger, forgeJobId: number, repository = 'acme/app'): Promise<number> {
  const result = await ledger.applyJobEvent(jobEventOf(forgeJobId, repository, 'queued'), cause)
  if (result.kind !== 'new') throw new Error(`job ${forgeJobId} was not new: ${result.kind}`)
  return result.jobId
}

/** The forge says that a runner completed the job. */
export async function complete(ledger: Ledger, forgeJobId: number, runnerName: string | null): Promise<void> {
  const over = { ...jobEventOf(forgeJobId, 'acme/app', 'completed'), runnerName, conclusion: 'success' }
  await ledger.applyJobEvent(over, cause)
}

/** A runner that polls. */
export async function idleRunner(ledger: Ledger, host = 'here'): Promise<Runner> {
  const name = `linux-${randomUUID().slice(0, 8)}`
  const runner = { name, pool: 'linux', host, identityHash: 'hash', bootDeadlineMs: minuteMs }
  const enrolled = await ledger.enrol(runner, cause)
  await ledger.polled(enrolled.id)
  return enrolled
}

/** The next job on a runner of its own, delivered. */
export async function delivered(ledger: Ledger): Promise<Claim> {
  const result = await ledger.claim(await idleRunner(ledger), randomUUID(), minuteMs)
  if (result.kind !== 'claimed') throw new Error(`nothing was claimed: ${result.kind}`)
  const { handle, id } = result.claim.attempt
  await ledger.minted(handle, id, { keyId: 'key', bytes: new Uint8Array([1]) }, minuteMs)
  await ledger.deliver(handle, minuteMs)
  return result.claim
}

/** The runner died, and it is on record. */
export async function die(ledger: Ledger, runnerId: number): Promise<void> {
  await ledger.sealDeath(runnerId, classifyDeath(null), 'vanished', cause)
}

/** An event of the forge about a job of one installation. */
export function jobEventOf(forgeJobId: number, repository: string, status: 'queued' | 'completed') {
  return {
    job: {
      installation: 'forge',
      forgeJobId,
      runId: 1,
      runAttempt: 1,
      visibility: 'private' as const,
      repository,
      name: 'build',
      labels: ['self-hosted'],
    },
    status,
    runnerName: null,
    conclusion: null,
    queuedAt: null,
    startedAt: null,
    completedAt: null,
  }
}
