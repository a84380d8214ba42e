import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import {
  cause,
  delivered,
  die,
  enqueue,
  idleRunner,
  linuxPool,
} from '../../../../test/support/ledger-steps.ts'
import { anEnding } from '../../../../test/support/rows.ts'
import { classifyDeath } from '../../../domain/death/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { groupCommitAll } from './group-commit.ts'

describe('a group commit', () => {
  const byHalves = groupCommitAll<number, number>({
    conflict: () => false,
    async run(items) {
      if (items.includes(0)) throw new Error('nothing is half of it')
      return items.map((item) => item / 2)
    },
  })

  it('gives each its own result', async () => {
    expect(await Promise.all([2, 4, 6].map(byHalves))).toEqual([1, 2, 3])
  })

  it('does not fail for the sake of one write that fails', async () => {
    const results = await Promise.allSettled([2, 0, 6].map(byHalves))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  it('is not tried one by one where the ledger itself is away', async () => {
    let runs = 0
    const away = groupCommitAll<number, number>({
      conflict: () => false,
      async run() {
        runs += 1
        throw new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a test', outcomeUnknown: false })
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map(away))
    expect(results.every(({ status }) => status === 'rejected')).toBe(true)
    expect(runs).toBe(2) // the first alone, the others together
  })
})

describe('many dispatches at once', () => {
  let bench: LedgerBench
  beforeAll(async () => {
    bench = await ledgerBench(4)
  })
  afterAll(() => bench[Symbol.asyncDispose]())

  it('give every runner its own JIT, and none to a runner without an attempt', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    const count = 40
    for (let job = 1; job <= count; job += 1) await enqueue(ledger, job)
    const runners = await Promise.all(Array.from({ length: count }, () => idleRunner(ledger)))
    const handles = await Promise.all(
      runners.map(async (runner) => {
        const result = await ledger.claim(runner, randomUUID(), 60_000)
        return result.kind === 'claimed' ? result.claim.attempt.handle : result.kind
      }),
    )
    const strangers = [randomUUID(), 'no handle at all']
    const jit = (n: number) => ({ keyId: 'key', bytes: new Uint8Array([n, n + 1]) })
    const minted = await Promise.all(
      [...handles, ...strangers].map((handle, n) => ledger.minted(handle, n + 1, jit(n), 60_000)),
    )
    expect(minted.map(({ kind }) => kind)).toEqual([...handles.map(() => 'ok'), 'lost', 'lost'])
    const delivered = await Promise.all(
      [...handles, ...strangers].map((handle) => ledger.deliver(handle, 60_000)),
    )
    expect(delivered.slice(count)).toEqual([{ kind: 'lost' }, { kind: 'lost' }])
    expect(delivered.slice(0, count)).toEqual(handles.map((_, n) => ({ kind: 'ok', jit: jit(n) })))
    const acknowledged = await Promise.all(
      [...handles, ...strangers].map((handle) => ledger.acknowledge(handle)),
    )
    expect(acknowledged.map(({ kind }) => kind)).toEqual([...handles.map(() => 'ok'), 'lost', 'lost'])
    const open = await Promise.all(runners.map(({ id }) => ledger.openAttempt(id)))
    expect(open.map((claim) => claim?.attempt.handle)).toEqual(handles)
    expect(open.every((claim) => claim?.attempt.state === 'acknowledged')).toBe(true)
  })

  it('bind each runner to the first proof that came with its name', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    const bootDeadlineMs = 60_000
    const runners = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        ledger.enrol(
          { name: `linux-${n}`, pool: 'linux', host: 'h', identityHash: null, bootDeadlineMs },
          cause,
        ),
      ),
    )
    const bind = (proof: string) =>
      Promise.all(runners.map(({ id }) => ledger.bindIdentity(id, `${proof}${id}`)))
    expect(new Set(await bind('first'))).toEqual(new Set(['bound']))
    expect(new Set(await bind('first'))).toEqual(new Set(['bound']))
    expect(new Set(await bind('other'))).toEqual(new Set(['other']))
  })

  it('fence each idle runner, refuse the others, and notify the waiter of each', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    await enqueue(ledger, 101)
    const claim = await delivered(ledger)
    const runners = await Promise.all(Array.from({ length: 40 }, () => idleRunner(ledger)))
    const ids = [...runners.map(({ id }) => id), claim.attempt.runnerId, 987_654]
    const woken = new Set<number>()
    ledger.onWake((wake) => wake.kind === 'fenced' && woken.add(wake.runnerId))
    const fenced = await Promise.all(ids.map((id) => ledger.fence(id, `no need of ${id}`, cause)))
    expect(fenced).toEqual([...runners.map(() => 'fenced'), 'refused', 'refused'])
    const rows = new Map((await ledger.runners(0)).rows.map((row) => [row.id, row]))
    for (const { id } of runners) {
      expect(rows.get(id)).toMatchObject({ state: 'fenced', reason: `no need of ${id}` })
    }
    expect(rows.get(claim.attempt.runnerId)?.state).toBe('claimed')
    await expect.poll(() => woken).toEqual(new Set(runners.map(({ id }) => id)))
    expect(await ledger.fence(runners[0]?.id as number, 'again', cause)).toBe('fenced')
    await Promise.all([...runners.map(({ id }) => id), claim.attempt.runnerId].map((id) => die(ledger, id)))
    const left = new Set((await ledger.runners(0)).rows.map(({ id }) => id))
    expect(ids.filter((id) => left.has(id))).toEqual([])
    expect(await ledger.fence(runners[0]?.id as number, 'too late', cause)).toBe('refused')
  })

  it('seal each death once, and make the open attempt of each due', async () => {
    const ledger = await bench.open()
    await ledger.putPools([linuxPool()], cause)
    for (const job of [201, 202]) await enqueue(ledger, job)
    const claims = await Promise.all([delivered(ledger), delivered(ledger)])
    const idle = await Promise.all(Array.from({ length: 40 }, () => idleRunner(ledger)))
    const ids = [...claims.map(({ attempt }) => attempt.runnerId), ...idle.map(({ id }) => id)]
    const seal = (id: number) =>
      ledger.sealDeath(id, classifyDeath(anEnding({ exitCode: id })), 'gone', cause)
    const sealed = await Promise.all([...ids, ...ids].map(seal))
    expect(sealed.filter((outcome) => outcome === 'sealed')).toHaveLength(ids.length)
    const deaths = await ledger.deathsAfter(0, 1_000)
    const records = new Map(deaths.map(({ runnerId, record }) => [runnerId, record]))
    for (const id of ids) expect(records.get(id)).toMatchObject({ ending: { exitCode: id } })
    const due = await ledger.due(100, 'here')
    const attempts = due.flatMap((subject) => (subject.kind === 'attempt' ? [subject.attempt.id] : []))
    expect(attempts).toEqual(expect.arrayContaining(claims.map(({ attempt }) => attempt.id)))
  })
})
