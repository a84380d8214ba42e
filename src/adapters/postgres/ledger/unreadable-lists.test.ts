import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { exited } from '../../../../test/support/control-bench.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { cause, enqueue, linuxPool } from '../../../../test/support/ledger-steps.ts'
import { classifyDeath } from '../../../domain/death/index.ts'
import { aHostSample, aHostSamples, aPodEnd } from '../../../domain/death/testing.ts'
import { jobStates, priorities } from '../../../domain/job/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'

let bench: LedgerBench
let ledger: Ledger
beforeAll(async () => {
  bench = await ledgerBench()
  await bench.run('alter domain priority_class drop constraint priority_class_check')
})
afterAll(() => bench[Symbol.asyncDispose]())
beforeEach(async () => {
  await bench.empty()
  ledger = await bench.open()
  await ledger.putPools([linuxPool()], cause)
})

const idle = async (name: string) => {
  const row = { name, pool: 'linux', host: 'here', identityHash: null, bootDeadlineMs: 60_000 }
  const runner = await ledger.enrol(row, cause)
  await ledger.polled(runner.id)
  return runner
}
const handle = (n: number) => `0000000${n}-0000-4000-8000-000000000000`

describe('a number that no JavaScript number holds, which the driver refuses for the whole list', () => {
  it.each([1, 4, 9])('hides no other job (job %i)', async (id) => {
    for (let n = 1; n <= 9; n += 1) await enqueue(ledger, n)
    await bench.behind(`update jobs set run_id = 9007199254740993 where id = ${id}`)
    for (const filter of [{}, { states: ['queued'] as const }]) {
      const { rows, unreadable } = await ledger.jobs({ ...filter, limit: 50 })
      expect(rows.map((job) => job.id)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1].filter((each) => each !== id))
      expect(unreadable).toMatchObject([{ id, repository: expect.any(String), isEnded: false }])
    }
  })

  it('hides no other runner', async () => {
    for (const name of ['a', 'b', 'c']) await idle(name)
    await bench.behind('update runners set evidence_id = 9007199254740993 where id = 2')
    const { rows, unreadable } = await ledger.runners(5)
    expect([rows.map(({ name }) => name), unreadable]).toMatchObject([['a', 'c'], [{ id: 2, name: 'b' }]])
  })
})

describe('a decision in a form that only a newer version knows', () => {
  it('hides no other decision, and is named', async () => {
    const none = { jobId: null, attemptId: null, runnerId: null }
    const record = () => ledger.recordDecision({ rule: 'r', ...none, facts: {}, actions: [] })
    const [first, second, third] = [await record(), await record(), await record()]
    await bench.behind(`update decisions set facts = '"newer"' where id = ${second}`)
    const { rows, unreadable } = await ledger.decisions({ withinMs: 60_000, limit: 10 })
    expect([rows.map(({ id }) => id), unreadable]).toEqual([[third, first], [second]])
  })
})

describe('samples of a node in a form that only a newer version knows', () => {
  it('hide no other node', async () => {
    for (const node of ['node-1', 'node-2'])
      await ledger.putHostSamples(aHostSamples({ podUid: node, node, samples: [aHostSample({ at: 1_000 })] }))
    await bench.behind(`update host_rings set ring = '{"newer": true}' where node = 'node-1'`)
    const found = await ledger.nodeSamples({ pushedWithinMs: 60_000, limit: 10 })
    expect(found.map(({ node }) => node)).toEqual(['node-2'])
  })
})

describe('a queued job of a priority that only a newer version knows', () => {
  beforeEach(async () => {
    for (let n = 1; n <= 3; n += 1) await enqueue(ledger, n)
    await bench.behind('update jobs set priority = 7, share_tag = 0 where id = 2')
  })

  it('is claimed by no runner, alone or in a batch, and does not stop the claims of others', async () => {
    const runners = await Promise.all(['a', 'b', 'c', 'd'].map(idle))
    const claims = await Promise.all(runners.map((runner, n) => ledger.claim(runner, handle(n), 60_000)))
    const given = claims.map((each) => (each.kind === 'claimed' ? each.claim.job.id : each.kind))
    expect(given.toSorted()).toEqual([1, 3, 'nothing', 'nothing'])
    expect(await ledger.claim(await idle('e'), handle(9), 60_000)).toEqual({ kind: 'nothing' })
    expect(await ledger.counts()).toMatchObject([{ dispatchable: 0 }])
  })

  it('keeps no pool from being put, and no other job from going elsewhere', async () => {
    await ledger.putPools([{ ...linuxPool(), name: 'other' }], cause)
    const { rows } = await ledger.jobs({ limit: 9 })
    expect(rows.map(({ id, pool }) => [id, pool])).toEqual([
      [3, 'other'],
      [1, 'other'],
    ])
  })
})

describe('a job in an unknown state', () => {
  it('has a state or a priority that is not in the tables of the domain', async () => {
    const { rows } = await bench.run(
      `select pg_get_expr(indpred, indrelid) as predicate from pg_index
        where indexrelid = 'jobs_in_unknown_state'::regclass`,
    )
    const named = [...String(rows[0]?.predicate).matchAll(/'(\w+)'/g)].map(([, state]) => state)
    expect(named.toSorted()).toEqual([...jobStates].toSorted())
    expect(priorities).toHaveLength(4)
  })

  it('is found without reading the jobs that have ended', async () => {
    await enqueue(ledger, 1)
    const { rows } = await bench
      .run(`
      begin; set local enable_seqscan = off;
      explain select id from jobs where jobs.state not in
        ('queued', 'claimed', 'delivered', 'registered', 'running', 'completed', 'cancelled', 'lost')`)
      .then((results) => (results as unknown as { rows: Record<string, string>[] }[]).at(-1) ?? { rows: [] })
    await bench.run('rollback')
    expect(JSON.stringify(rows)).toContain('jobs_in_unknown_state')
  })
})

describe('a failed start with a problem that only a newer version knows', () => {
  it('speaks against no node, and the others are found', async () => {
    for (const name of ['a', 'b']) {
      const place = { namespace: 'ci', pod: name, uid: name, node: 'n1' }
      const startProblem = { kind: 'SandboxFailed', message: 'no network', since: 1 } as const
      const pod = aPodEnd({ place, trouble: startProblem, phase: 'Pending', containers: [] })
      const ending = { ...exited, startedAt: null, exitCode: null, pod }
      await ledger.sealDeath((await idle(name)).id, classifyDeath(ending), 'never-started', cause)
    }
    await bench.behind(`
      update evidence set record = jsonb_set(record, '{ending,pod,trouble,kind}', '"OfTomorrow"') where runner_id = 1`)
    expect(await ledger.failedStarts('here', 60_000)).toMatchObject([
      { runner: 'b', startProblem: 'SandboxFailed' },
    ])
  })
})
