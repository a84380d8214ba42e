import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, idleRunner } from '../../../../test/support/ledger-steps.ts'
import { type Job, type Priority, priorities } from '../../../domain/job/index.ts'
import { type Pool, poolDefaults, weightOf } from '../../../domain/pool/index.ts'
import { compareQueued, startTag } from '../../../domain/queue/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
beforeAll(async () => {
  bench = await ledgerBench()
})
afterAll(() => bench[Symbol.asyncDispose]())

const minuteMs = 60_000
const ageingMs = 10 * minuteMs
const repositories = ['acme/a', 'acme/b', 'acme/c', 'zeta/a', 'zeta/b'] as const

type Command =
  | {
      readonly kind: 'enqueue'
      readonly repository: string
      readonly class: Priority
      readonly ageMs: number
    }
  /** So many runners at once: together they get the next so many jobs. */
  | { readonly kind: 'claim'; readonly runners: number }
  | { readonly kind: 'finish'; readonly nth: number }
  | {
      readonly kind: 'mint-failed'
      readonly nth: number
      readonly concerns: 'job' | 'repository' | 'account'
    }

/** The facts that a claim must know, in plain lists: nothing is shared with the statement under test. */
interface Model {
  readonly pool: Pool
  readonly jobs: Map<number, ModelJob>
  readonly held: Set<string>
}
type ModelJob = Pick<
  Job,
  'id' | 'priority' | 'shareTag' | 'forgeQueuedAt' | 'seenAt' | 'repository' | 'owner'
> & {
  state: 'queued' | 'backing-off' | 'served' | 'over'
}

describe('the claim statement', () => {
  it('gives jobs in the order of the domain, with caps, holds, weights and ageing', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fairness(),
        fc.array(command(), { minLength: 5, maxLength: 40 }),
        async (spec, commands) => {
          await bench.empty()
          const ledger = await bench.open()
          const pool: Pool = {
            ...poolDefaults,
            name: 'linux',
            labels: ['self-hosted'],
            minWarm: 0,
            maxRunners: 100,
            priorities: priorities.map((name) => ({ repository: '*', job: name, class: name })),
            fairness: { ...spec, ageingMs },
          }
          await ledger.putPools([pool], cause)
          const model: Model = { pool, jobs: new Map(), held: new Set() }
          const play = player(ledger, model)
          for (const next of commands) await play(next)
          while (await play({ kind: 'claim', runners: 1 })) {} // what is left comes out in order too
          await ledger[Symbol.asyncDispose]()
        },
      ),
      { numRuns: 100 },
    )
  })
})

/** Plays a command on both; a claim must return what the model returns. Returns whether that was a job. */
function player(ledger: Ledger, model: Model): (command: Command) => Promise<boolean> {
  const open: { handle: string; jobId: number }[] = []
  let count = 0

  return async (command) => {
    count += 1
    if (command.kind === 'enqueue') return enqueue(command)
    if (command.kind === 'claim') return claim(command.runners)
    const [attempt] = open.splice(command.nth % Math.max(open.length, 1), 1)
    if (attempt === undefined) return false
    const job = model.jobs.get(attempt.jobId) as ModelJob
    if (command.kind === 'finish') {
      job.state = 'over'
      const end = { kind: 'claimExpired', proof: null, fate: { kind: 'gone' } } as const
      expect(await ledger.endAttempt(attempt.handle, end, cause)).toEqual({ kind: 'ok' })
      return true
    }
    job.state = 'backing-off'
    if (command.concerns === 'repository') model.held.add(job.repository)
    if (command.concerns === 'account') model.held.add(job.owner)
    const failure = {
      reason: 'no',
      concerns: command.concerns,
      delayMs: 60 * minuteMs,
      failuresMax: 99,
      incident: null,
    }
    expect(await ledger.mintFailed(attempt.handle, failure)).toMatchObject({ kind: 'ok' })
    return true
  }

  async function enqueue({
    repository,
    class: name,
    ageMs,
  }: Extract<Command, { kind: 'enqueue' }>): Promise<boolean> {
    const job = {
      installation: 'forge',
      forgeJobId: count,
      runId: 1,
      runAttempt: 1,
      visibility: 'private' as const,
      repository,
      name,
      labels: ['self-hosted'],
    }
    const queuedAt = (await ledger.now()) - ageMs
    const event = { job, status: 'queued', queuedAt, startedAt: null, completedAt: null } as const
    const result = await ledger.applyJobEvent({ ...event, runnerName: null, conclusion: null }, cause)
    if (result.kind !== 'new') throw new Error(`the job was not new: ${result.kind}`)
    const owner = repository.split('/')[0] as string
    const shareTag = nextTag(model, repository)
    const row = { id: result.jobId, priority: name, shareTag, repository, owner, state: 'queued' as const }
    model.jobs.set(result.jobId, { ...row, forgeQueuedAt: queuedAt, seenAt: queuedAt + ageMs })
    return true
  }

  async function claim(runners: number): Promise<boolean> {
    const polling = await Promise.all(Array.from({ length: runners }, () => idleRunner(ledger)))
    const claims = polling.map((runner) => ledger.claim(runner, randomUUID(), minuteMs))
    const given = (await Promise.all(claims)).flatMap((result) =>
      result.kind === 'claimed' ? [result.claim] : [],
    )
    const expected = nextJobs(model, runners, await ledger.now())
    const place = ({ id, shareTag }: Pick<Job, 'id' | 'shareTag'>) => `${id} at ${shareTag}`
    expect(given.map(({ job }) => place(job)).toSorted()).toEqual(expected.map(place).toSorted())
    open.push(...given.map(({ attempt, job }) => ({ handle: attempt.handle, jobId: job.id })))
    return expected.length > 0
  }
}

function nextJobs(model: Model, count: number, now: number): ModelJob[] {
  const next: ModelJob[] = []
  for (let job = nextJob(model, now); job !== null && next.length < count; job = nextJob(model, now)) {
    job.state = 'served'
    next.push(job)
  }
  return next
}

/** A straight reading of src/domain/queue/order.ts over all jobs. */
function nextJob({ pool, jobs, held }: Model, now: number): ModelJob | null {
  const { capPerRepository, capPerOwner } = pool.fairness
  const served = [...jobs.values()].filter((job) => job.state === 'served')
  const free = [...jobs.values()].filter(
    (job) =>
      job.state === 'queued' &&
      !held.has(job.repository) &&
      !held.has(job.owner) &&
      served.filter((other) => other.repository === job.repository).length < (capPerRepository ?? Infinity) &&
      served.filter((other) => other.owner === job.owner).length < (capPerOwner ?? Infinity),
  )
  return free.sort((a, b) => compareQueued(a, b, now, ageingMs))[0] ?? null
}

function nextTag({ pool, jobs }: Model, repository: string): number {
  const open = [...jobs.values()].filter((job) => job.state !== 'over')
  const waiting = open.filter((job) => job.state !== 'served').map((job) => job.shareTag)
  const last = open.filter((job) => job.repository === repository).map((job) => job.shareTag)
  return startTag({
    poolTag: Math.max(
      ...[0, ...open.filter((job) => job.state === 'served').map((job) => job.shareTag)],
      waiting.length === 0 ? 0 : Math.min(...waiting),
    ),
    lastTag: last.length === 0 ? null : Math.max(...last),
    weight: weightOf(pool, repository),
  })
}

function fairness() {
  const cap = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 2 })
  return fc.record({
    weights: fc.dictionary(fc.constantFrom(...repositories), fc.constantFrom(0.5, 2, 3), { maxKeys: 3 }),
    capPerRepository: cap,
    capPerOwner: cap,
  })
}

function command(): fc.Arbitrary<Command> {
  const enqueue = fc.record({
    kind: fc.constant('enqueue' as const),
    repository: fc.constantFrom(...repositories),
    class: fc.constantFrom(...priorities),
    // Far from the limit on either side, so that the time that a test takes does not decide.
    ageMs: fc.constantFrom(0, 1, minuteMs, 2 * minuteMs, 20 * minuteMs, 30 * minuteMs),
  })
  const nth = fc.nat({ max: 20 })
  const concerns = fc.constantFrom('job' as const, 'repository' as const, 'account' as const)
  return fc.oneof(
    { weight: 6, arbitrary: enqueue },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('claim' as const), runners: fc.integer({ min: 1, max: 5 }) }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const), nth }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('mint-failed' as const), nth, concerns }) },
  )
}
