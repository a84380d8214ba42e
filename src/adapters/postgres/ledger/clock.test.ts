import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, delivered, enqueue, idleRunner, linuxPool } from '../../../../test/support/ledger-steps.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { sql } from '../connection/index.ts'

const minuteMs = 60_000
const stepMs = 120 * minuteMs

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench(1) // one session, whose clock can be set
  await bench.run(`
    create schema ahead;
    grant usage on schema ahead to public; -- the program's role must see it, or its clock is not set
    create function ahead.now() returns timestamptz language sql stable as
      $$ select pg_catalog.now() + interval '2 hours' $$;
    create function ahead.clock_timestamp() returns timestamptz language sql volatile as
      $$ select pg_catalog.clock_timestamp() + interval '2 hours' $$`)
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

describe('a clock of the database that is set back', () => {
  it('keeps no job waiting that came before', async () => {
    await ahead(() => enqueue(ledger, 1))
    expect(await claimKind()).toBe('claimed')
  })

  it('keeps no job waiting that came back before', async () => {
    await enqueue(ledger, 1)
    await ahead(async () => {
      const { attempt } = await delivered(ledger)
      const proof = { kind: 'never-registered', record: {} } as const
      const end = { kind: 'neverRegistered', proof, fate: { kind: 'requeue', delayMs: 0 } } as const
      expect(await ledger.endAttempt(attempt.handle, end, cause)).toMatchObject({ kind: 'ok' })
    })
    expect(await claimKind()).toBe('claimed')
  })

  it('is noted, and back-offs, holds, looks and deliveries come earlier by as much', async () => {
    await enqueue(ledger, 1)
    await ahead(async () => {
      await ledger.noteTime()
      const result = await ledger.claim(await idleRunner(ledger), randomUUID(), minuteMs)
      if (result.kind !== 'claimed') throw new Error('nothing was claimed')
      const failure = { reason: 'no', concerns: 'repository', delayMs: minuteMs } as const
      await ledger.mintFailed(result.claim.attempt.handle, { ...failure, failuresMax: 9, incident: null })
      await ledger.storeDelivery({ guid: 'g', installation: 'forge', event: 'e', subject: null, body: '{}' })
      await ledger.settleDelivery('g', { kind: 'failed', note: 'no', retryInMs: minuteMs })
    })
    expect(await spansMs()).toEqual({ back_off: 121, held: 121, job: 121, runner: 121, delivery: 121 })
    const backMs = await ledger.noteTime()
    expect(Math.abs(backMs - stepMs)).toBeLessThan(minuteMs)
    expect(await spansMs()).toEqual({ back_off: 1, held: 1, job: 1, runner: 1, delivery: 1 })
    expect(await ledger.noteTime()).toBe(0)
  })

  it('is not seen where it goes on or is set ahead, and nothing is moved', async () => {
    await enqueue(ledger, 1)
    await ledger.noteTime()
    expect(await ledger.noteTime()).toBe(0)
    const before = await ledger.findJob('forge', 1)
    await ahead(async () => {
      expect(await ledger.noteTime()).toBe(0)
    })
    expect(await ledger.findJob('forge', 1)).toEqual(before)
  })
})

/** In how many minutes what waits is due. */
async function spansMs() {
  const { rows } = await bench.run(`
    select round(extract(epoch from (select not_before from jobs) - now()) / 60)::int as back_off,
           round(extract(epoch from (select until from holds) - now()) / 60)::int as held,
           round(extract(epoch from (select check_at from jobs) - now()) / 60)::int as job,
           round(extract(epoch from (select check_at from runners) - now()) / 60)::int as runner,
           round(extract(epoch from (select retry_at from deliveries) - now()) / 60)::int as delivery`)
  return rows[0]
}

async function claimKind(): Promise<string> {
  return (await ledger.claim(await idleRunner(ledger), randomUUID(), minuteMs)).kind
}

/** Does something while the database's clock is two hours ahead. */
async function ahead<T>(work: () => Promise<T>): Promise<T> {
  const { database } = bench
  await database.query(sql`set search_path = ahead, public, pg_catalog`)
  await database.query(sql`discard plans`)
  try {
    return await work()
  } finally {
    await database.query(sql`set search_path = public`)
    await database.query(sql`discard plans`)
  }
}
