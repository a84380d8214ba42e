import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createControlBench, never } from '../../../../test/support/control-bench.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, delivered, enqueue, linuxPool } from '../../../../test/support/ledger-steps.ts'
import type { Due, Ledger } from '../../../ports/ledger.ts'
import { recoveryLoop } from '../../../recovery/index.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
  for (const domain of ['job_state', 'attempt_state', 'runner_state', 'priority_class']) {
    await bench.run(`alter domain ${domain} drop constraint ${domain}_check`)
  }
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
  await three()
})

/** Three attempts with jobs and runners of their own, and three queued jobs, all due. */
async function three(): Promise<void> {
  for (let n = 1; n <= 3; n += 1) {
    await enqueue(ledger, n)
    await delivered(ledger)
  }
  for (let n = 4; n <= 6; n += 1) await enqueue(ledger, n)
  await bench.run(`update attempts set check_at = now() - interval '1 minute' * (10 - id)`)
  await bench.run(`update runners set check_at = now() - interval '1 minute' * (10 - id)`)
  await bench.run(`update jobs set check_at = now() - interval '1 minute' * (10 - id)`)
}

const nameOf = (due: Due) => {
  if (due.kind === 'unreadable') return `unreadable ${due.of.kind} ${due.of.id}`
  if (due.kind === 'attempt') return `attempt ${due.attempt.id}`
  return due.kind === 'job' ? `job ${due.job.id}` : `runner ${due.runner.id}`
}

const poisons = [
  {
    what: 'an attempt in a state that only a newer version knows',
    sql: `update attempts set state = 'paused' where id = 1`,
    unreadable: ['unreadable attempt 1', 'unreadable runner 1'],
  },
  {
    what: 'a queued job whose priority only a newer version knows',
    sql: 'update jobs set priority = 7 where id = 4',
    unreadable: ['unreadable job 4'],
  },
  {
    what: 'a runner in a state that only a newer version knows',
    sql: `update runners set state = 'paused' where id = 1`,
    unreadable: ['unreadable attempt 1', 'unreadable runner 1'],
  },
  {
    what: 'a number that no JavaScript number holds, which the driver refuses for the whole page',
    sql: 'update jobs set run_id = 9007199254740993 where id in (1, 4)',
    unreadable: ['unreadable attempt 1', 'unreadable job 4', 'unreadable runner 1'],
  },
] as const

describe('the list of due subjects', () => {
  it('has all of them where every row can be read', async () => {
    expect((await ledger.due(50, 'here')).map(nameOf).toSorted()).toEqual([
      ...['attempt 1', 'attempt 2', 'attempt 3', 'job 4', 'job 5', 'job 6'],
      ...['runner 1', 'runner 2', 'runner 3'],
    ])
  })

  it.each(poisons)('has $what as unreadable, and all others as they are', async ({ sql, unreadable }) => {
    const before = await ledger.due(50, 'here')
    await bench.behind(sql)
    const after = (await ledger.due(50, 'here')).map(nameOf)
    expect(after).toHaveLength(before.length)
    expect(after.filter((name) => name.startsWith('unreadable')).toSorted()).toEqual(unreadable)
    expect(after.map((name) => name.replace('unreadable ', ''))).toEqual(before.map(nameOf))
  })

  it.each(poisons)(
    '$what is postponed by the recovery loop, and the rest is looked at',
    async ({ sql, unreadable }) => {
      await bench.behind(sql)
      const control = await createControlBench()
      const looked = new Set<string>()
      const spied: Ledger = {
        ...ledger,
        postpone(of, delayMs) {
          looked.add(`${of.kind} ${of.id}`)
          return ledger.postpone(of, delayMs)
        },
      }
      const host = { ...control.host, id: 'here' }
      const loop = recoveryLoop({ ...control, host, ledger: spied }, 1_000)
      await loop.pass(never)
      await loop.ended?.()
      const left = (await ledger.due(50, 'here')).map(nameOf)
      expect(left.filter((name) => name.startsWith('unreadable'))).toEqual([])
      for (const name of ['attempt 2', 'attempt 3', 'job 5', 'job 6']) expect(looked).toContain(name)
      for (const name of unreadable) expect(looked).toContain(name.replace('unreadable ', ''))
      expect(await ledger.incidents(0)).toMatchObject([{ kind: 'look-failed', timesSeen: unreadable.length }])
    },
  )
})

describe('incidents', () => {
  it('are listed although one is of a kind that only a newer version knows, which is said once', async () => {
    const incident = { installation: 'sim', scope: 'repository', reason: 'a test' } as const
    for (const key of ['acme/one', 'acme/two', 'acme/three'])
      await ledger.raiseIncident({ ...incident, kind: 'repository-not-covered', key }, 60_000)
    await bench.behind(`update incidents set kind = 'of-tomorrow' where key = 'acme/two'`)
    const saidBefore = bench.log.lines.length
    for (let turn = 0; turn < 2; turn += 1) {
      const listed = await ledger.incidents(10)
      expect(listed.map(({ key }) => key)).toEqual(['acme/three', 'acme/one'])
    }
    const logged = bench.log.lines.slice(saidBefore)
    expect(logged.filter(({ message }) => message.includes('cannot be read'))).toHaveLength(1)
  })
})

describe('a pool whose spec cannot be read', () => {
  const big = () => ({ ...linuxPool(), name: 'big', labels: ['big'] })
  const poison = () => bench.behind(`update pools set spec = spec || '{"labels": "all"}' where name = 'big'`)

  it('stays a pool, gets no jobs, and keeps no job from another pool', async () => {
    await ledger.putPools([linuxPool(), big()], cause)
    await poison()
    expect((await ledger.pools()).map(({ name, labels }) => [name, labels])).toEqual([
      ['big', []],
      ['linux', linuxPool().labels],
    ])
    const jobId = await enqueue(ledger, 7)
    expect((await ledger.jobFile(jobId))?.job).toMatchObject({ state: 'queued', pool: 'linux' })
  })

  it('is whole again once its pools are put', async () => {
    await ledger.putPools([linuxPool(), big()], cause)
    await poison()
    await ledger.putPools([linuxPool(), big()], cause)
    expect((await ledger.pools()).map(({ labels }) => labels)).toContainEqual(['big'])
  })
})
