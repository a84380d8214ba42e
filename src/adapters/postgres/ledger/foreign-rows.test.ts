import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import {
  cause,
  delivered,
  die,
  enqueue,
  idleRunner,
  linuxPool,
} from '../../../../test/support/ledger-steps.ts'
import { aDeathRecord } from '../../../domain/death/testing.ts'
import type { Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
  for (const [domain, check] of [
    ['job_state', 'job_state_check'],
    ['attempt_state', 'attempt_state_check'],
    ['runner_state', 'runner_state_check'],
    ['priority_class', 'priority_class_check'],
  ]) {
    await bench.run(`alter domain ${domain} drop constraint ${check}`)
  }
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

describe('a row that a newer version wrote', () => {
  it.each([
    { column: 'state', got: 'paused', expected: 'queued' },
    { column: 'priority', got: '7', expected: 'critical' },
  ])(
    'is an error that names the job, its $column and what was expected',
    async ({ column, got, expected }) => {
      const jobId = await enqueue(ledger, 1)
      await bench.behind(`update jobs set ${column} = '${got}'`)
      await expect(ledger.jobFile(jobId)).rejects.toMatchObject({
        code: 'E_LEDGER_ROW',
        params: { table: 'jobs', id: jobId, column, got, expected: expect.arrayContaining([expected]) },
      })
    },
  )

  it('is an error that names the attempt', async () => {
    await enqueue(ledger, 1)
    const { attempt } = await delivered(ledger)
    await bench.behind(`update attempts set state = 'paused'`)
    const params = { table: 'attempts', id: attempt.id, column: 'state', got: 'paused' }
    await expect(ledger.openAttempt(attempt.runnerId)).rejects.toMatchObject({ code: 'E_LEDGER_ROW', params })
  })

  it('is an error that names the runner', async () => {
    const runner = await idleRunner(ledger)
    await bench.behind(`update runners set state = 'paused'`)
    const params = { table: 'runners', id: runner.id, column: 'state', got: 'paused' }
    await expect(ledger.findRunner(runner.name)).rejects.toMatchObject({ code: 'E_LEDGER_ROW', params })
  })
})

describe('text that Postgres cannot hold', () => {
  it('does not keep a death from being sealed', async () => {
    const runner = await idleRunner(ledger)
    const because = ['NUL \0 in a log tail', 'half a pair \ud800']
    const record = aDeathRecord({ class: 'crash', because })
    expect(await ledger.sealDeath(runner.id, record, 'bad \0', cause)).toBe('sealed')
    const { rows } = await bench.run('select record from evidence')
    expect(rows[0].record.because).toEqual(['NUL \ufffd in a log tail', 'half a pair \ufffd'])
  })

  it('does not keep a job from being queued', async () => {
    const jobId = await enqueue(ledger, 1, 'acme/\0')
    expect((await ledger.jobFile(jobId))?.job.repository).toBe('acme/\ufffd')
    await die(ledger, (await idleRunner(ledger)).id) // and what comes after it goes on
  })
})
