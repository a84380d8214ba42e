import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../../../src/domain/death/index.ts'
import { type IncidentScope, incidentScopes } from '../../../src/domain/incident/index.ts'
import { isOpen, type Job } from '../../../src/domain/job/index.ts'
import type { JobEvent } from '../../../src/domain/job-event/index.ts'
import { type Pool, poolDefaults } from '../../../src/domain/pool/index.ts'
import type { Cause, Ledger, NewIncident } from '../../../src/ports/ledger.ts'
import { createMemoryLedger } from './index.ts'

/** Any calls in any order: no plan contradicts the tables, no row the constraints, and no ended job comes back. */
describe('the ledger under any sequence of calls', () => {
  it('never contradicts itself, and never reopens a job that ended (I1, I3, I5, I8)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 10, maxLength: 80 }), async (calls) => {
        const world = await createWorld()
        const ended = new Map<number, Job>()
        for (const call of calls) {
          await make(world, call)
          for (const job of (await world.ledger.jobs({ limit: 100 })).rows) {
            const before = ended.get(job.id)
            if (before !== undefined) expect(job).toEqual(before)
            if (!isOpen(job)) ended.set(job.id, job)
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('never gives two JITs under one handle, nor one JIT to two runners (I2)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCall, { minLength: 10, maxLength: 80 }), async (calls) => {
        const world = await createWorld()
        const given = new Map<string, string>()
        for (const call of calls) {
          const jit = await make(world, call)
          const handle = at(world.handles, call.a)
          if (jit === null || handle === undefined) continue
          expect(given.get(handle) ?? jit).toBe(jit)
          given.set(handle, jit)
        }
        expect(new Set(given.values()).size).toBe(given.size)
      }),
      { numRuns: 300 },
    )
  })
})

const kinds = [
  'queue',
  'runner',
  'dispatch',
  'mint',
  'mint-failed',
  'deliver',
  'acknowledge',
  'registered',
  'started',
  'completed',
  'end',
  'death',
  'fence',
  'close',
  'release',
  'pools',
  'archive',
  'purge',
  'raise',
  'lift',
] as const
/** Without these most histories would be over before anything is swapped, adopted or taken away. */
const often = [
  'queue',
  'queue',
  'dispatch',
  'dispatch',
  'dispatch',
  'dispatch',
  'runner',
  'started',
  'end',
] as const
/** The numbers choose among what there is when the call is made. */
const anyCall = fc.record({ kind: fc.constantFrom(...kinds, ...often), a: fc.nat(50), b: fc.nat(50) })
type Call = { readonly kind: (typeof kinds)[number]; readonly a: number; readonly b: number }

interface World {
  readonly ledger: Ledger
  readonly runners: number[]
  readonly handles: string[]
  /** Names that the forge may speak of. */
  readonly names: string[]
  mints: number
}

const cause: Cause = { source: 'audit' }
const farMs = 60_000
const forgeJobs = 12

async function createWorld(): Promise<World> {
  let at = 1_000_000
  let bytes = 0
  const clock = { now: () => ++at }
  const entropy = { bytes: (count: number) => new Uint8Array(count).fill(++bytes) }
  const world: World = {
    ledger: createMemoryLedger({ clock, entropy }),
    runners: [],
    handles: [],
    names: ['theirs'],
    mints: 0,
  }
  await world.ledger.putPools([pool('linux')], cause)
  for (let n = 0; n < 3; n += 1) await addRunner(world)
  return world
}

/** Makes one call; gives the JIT that it handed out, if any. */
async function make(world: World, { kind, a, b }: Call): Promise<string | null> {
  const { ledger } = world
  const runner = at(world.runners, a)
  const handle = at(world.handles, a)
  if (kind === 'queue') await ledger.applyJobEvent(jobEvent(a, 'queued', null), cause)
  if (kind === 'started')
    await ledger.applyJobEvent(jobEvent(a, 'in_progress', at(world.names, b) ?? null, b), cause)
  if (kind === 'completed')
    await ledger.applyJobEvent(
      jobEvent(a, 'completed', b % 7 === 0 ? null : (at(world.names, b) ?? null), b),
      cause,
    )
  if (kind === 'runner') await addRunner(world)
  if (kind === 'pools')
    await ledger.putPools(b % 9 === 0 ? [] : [pool(b % 9 === 1 ? 'other' : 'linux')], cause)
  if (kind === 'archive' && b % 5 === 0) await ledger.archive(0, 2)
  if (kind === 'purge' && b % 5 === 0) await ledger.purge(0, 2)
  if (kind === 'raise') await ledger.raiseIncident({ ...incident(a), reason: 'no' }, b)
  if (kind === 'lift') await ledger.liftIncident(incident(a))
  if (kind === 'close') await ledger.closeJob(1 + (a % forgeJobs), 'gone', cause)
  if (kind === 'release') await ledger.release(1 + (a % forgeJobs), cause)
  if (runner !== undefined) await callRunner(world, kind, runner, b)
  return handle === undefined ? null : callAttempt(world, kind, handle, b)
}

async function addRunner(world: World): Promise<void> {
  const name = `linux-${world.runners.length}`
  const row = await world.ledger.enrol(
    { name, pool: 'linux', host: 'host-1', identityHash: name, bootDeadlineMs: 1 },
    cause,
  )
  await world.ledger.polled(row.id)
  world.runners.push(row.id)
}

async function callRunner(world: World, kind: Call['kind'], runner: number, b: number): Promise<void> {
  const { ledger, handles, names } = world
  if (kind === 'dispatch') {
    const handle = `${handles.length.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`
    const result = await ledger.claim({ id: runner, name: `linux-${runner}`, pool: 'linux' }, handle, farMs)
    if (result.kind !== 'claimed') return
    handles.push(handle)
    names.push(result.claim.attempt.forgeRunnerName)
    const steps = ['mint', 'deliver', 'acknowledge', 'registered'] as const
    for (const step of steps.slice(0, b % 5)) await callAttempt(world, step, handle, farMs)
  }
  if (kind === 'death') await ledger.sealDeath(runner, classifyDeath(null), 'vanished', cause)
  if (kind === 'fence') await ledger.fence(runner, 'drained', cause)
}

async function callAttempt(
  world: World,
  kind: Call['kind'],
  handle: string,
  b: number,
): Promise<string | null> {
  const { ledger } = world
  if (kind === 'mint') {
    world.mints += 1
    await ledger.minted(handle, b, { keyId: 'k', bytes: new Uint8Array([world.mints]) }, b)
  }
  if (kind === 'mint-failed') {
    const concerns = (['job', 'repository', 'account'] as const)[b % 3] ?? 'job'
    const incident = b % 5 === 0 ? 'actions-disabled' : null
    await ledger.mintFailed(handle, { reason: 'no', concerns, delayMs: b, failuresMax: 2, incident })
  }
  if (kind === 'acknowledge') await ledger.acknowledge(handle)
  if (kind === 'registered') await ledger.registered(handle, b, cause)
  if (kind === 'end') await end(ledger, handle, b)
  if (kind !== 'deliver') return null
  const given = await ledger.deliver(handle, b)
  return given.kind === 'ok' ? String(given.jit.bytes[0]) : null
}

async function end(ledger: Ledger, handle: string, b: number): Promise<void> {
  const kind =
    at(['claimExpired', 'neverRegistered', 'runnerGone', 'takenElsewhere'] as const, b) ?? 'runnerGone'
  const proof = b % 2 === 0 ? null : ({ kind: 'never-registered', record: {} } as const)
  const fate = at([{ kind: 'requeue', delayMs: 0 }, { kind: 'lost' }, { kind: 'gone' }] as const, b)
  await ledger.endAttempt(handle, { kind, proof, fate: fate ?? { kind: 'lost' } }, cause)
}

function jobEvent(n: number, status: JobEvent['status'], runnerName: string | null, startedAt = 0): JobEvent {
  const forgeJobId = n % forgeJobs
  const repository = `owner-${forgeJobId % 2}/repository-${forgeJobId % 3}`
  const job = {
    installation: 'sim',
    forgeJobId,
    runId: 1,
    runAttempt: 1,
    visibility: 'private' as const,
    repository,
    name: 'build',
    labels: ['linux'],
  }
  const conclusion = status === 'completed' ? (['success', 'failure', 'cancelled'][n % 3] ?? null) : null
  return { job, status, runnerName, conclusion, queuedAt: null, startedAt, completedAt: null }
}

function incident(n: number): Omit<NewIncident, 'reason'> {
  const scope = at(incidentScopes, n) as IncidentScope
  const keys = { repository: 'owner-0/repository-0', account: 'owner-1', installation: 'sim', runners: 'all' }
  const key = keys[scope]
  return { kind: 'actions-disabled', installation: 'sim', scope, key }
}

function pool(name: string): Pool {
  const fairness = { weights: {}, capPerRepository: 2, capPerOwner: 3, ageingMs: 50 }
  const labels = ['self-hosted', 'linux']
  return { ...poolDefaults, name, labels, minWarm: 0, maxRunners: 9, priorities: [], fairness }
}

function at<Item>(items: readonly Item[], n: number): Item | undefined {
  return items.length === 0 ? undefined : items[n % items.length]
}
