import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import {
  cause,
  complete,
  delivered,
  die,
  enqueue,
  idleRunner,
  linuxPool,
} from '../../../../test/support/ledger-steps.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import { deathsBeingSealed, lockNumberMax } from './plan/index.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
  ledger = await bench.open()
  await ledger.putPools([linuxPool({ capPerRepository: 100 })], cause)
})
afterAll(() => bench[Symbol.asyncDispose]())

const everything = 1_000

/** More than 32 bits hold, and where the lower 31 begin again. */
const starts = [2 ** 31 - 2, 2 ** 31, 2 ** 32 - 2, 2 ** 40 - 3]

describe('a job and its runner whose numbers are large', () => {
  it.each(starts)('live, end and are archived as ever, from %d on', async (start) => {
    await numberFrom(start)
    const forgeJobId = start + 10
    const jobId = await enqueue(ledger, forgeJobId)
    expect(jobId).toBeGreaterThan(start)
    const { attempt } = await delivered(ledger)
    await ledger.acknowledge(attempt.handle)
    await ledger.registered(attempt.handle, 1_000, cause)
    expect(await ledger.subject({ kind: 'attempt', id: attempt.id })).toMatchObject({ kind: 'attempt' })
    await ledger.postpone({ kind: 'attempt', id: attempt.id }, 0)
    expect(await ledger.due(10, 'here')).toHaveLength(1)
    const decision = {
      rule: 'r',
      jobId,
      attemptId: attempt.id,
      runnerId: attempt.runnerId,
      facts: {},
      actions: [],
    }
    await ledger.recordOutcome(await ledger.recordDecision(decision), 'done')
    await complete(ledger, forgeJobId, attempt.forgeRunnerName)
    const newest = (await ledger.deathsAfter(0, everything)).at(-1)?.id ?? 0
    await die(ledger, attempt.runnerId)
    const unused = await idleRunner(ledger)
    expect(await ledger.fence(unused.id, 'unused', cause)).toBe('fenced')
    await die(ledger, unused.id)
    const deaths = await ledger.deathsAfter(newest, everything)
    expect(deaths.map(({ runnerId }) => runnerId)).toEqual([attempt.runnerId, unused.id])
    expect(deaths[0]?.id).toBeGreaterThan(start)
    const incident = { kind: 'actions-disabled', installation: 'forge', scope: 'repository' } as const
    await ledger.raiseIncident({ ...incident, key: 'acme/app', reason: '' }, 1_000)
    expect(await ledger.liftIncident({ ...incident, key: 'acme/app' })).toBe('lifted')
    await ledger.movePosition('deaths', deaths[1]?.id ?? 0)
    expect(await ledger.position('deaths')).toBe(deaths[1]?.id)
    const before = await ledger.jobFile(jobId)
    await ledger.archive(0, everything)
    expect(await ledger.jobFile(jobId)).toEqual({ ...before, archived: true })
    expect(await ledger.runnerFile(unused.name)).toMatchObject({ runner: { id: unused.id } })
  })

  it('are read in the order of their deaths, none before one that is being sealed', async () => {
    const start = 2 ** 33 - 1 // the lower part of the next begins at 0
    await numberFrom(start)
    const runner = await idleRunner(ledger)
    const newest = (await ledger.deathsAfter(0, everything)).at(-1)?.id ?? 0
    // Somebody has noted the newest number and is about to take the next one.
    await bench.run(`begin`)
    await bench.run(
      `select pg_advisory_xact_lock_shared($1, (last_value & $2)::integer) from evidence_id_seq`,
      [deathsBeingSealed, lockNumberMax],
    )
    await die(ledger, runner.id)
    expect(await ledger.deathsAfter(newest, everything)).toEqual([])
    await bench.run('commit')
    const deaths = await ledger.deathsAfter(newest, everything)
    expect(deaths.map(({ runnerId }) => runnerId)).toEqual([runner.id])
  })
})

/** Every number that the database gives. */
async function numberFrom(start: number): Promise<void> {
  await bench.run(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass, $1) from pg_sequences where schemaname = 'public'`,
    [start],
  )
}
