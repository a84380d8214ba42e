import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, hostId, never } from '../../test/support/control-bench.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Loop } from '../loop/index.ts'
import { type RecoveryLoopDeps, recoveryLoop } from './recovery-loop.ts'

const handleOf = (n: number) => `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`
const broken = () => Promise.reject(new Error('this one is broken'))
const silent = () => Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))

/** Jobs that were claimed and never delivered, past their deadline; the first is the longest overdue. */
async function staleClaims(bench: ControlBench, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    await bench.queue(`acme/web-${n}`)
    const runner = await bench.runner(`linux-000${n}`)
    await bench.ledger.polled(runner.id)
    await bench.ledger.claim(runner, handleOf(n), 1_000)
    await bench.advance(10)
  }
  await bench.advance(2_000)
}

/** The forge, except that it fails for the repository of the first job. */
function poisoned(bench: ControlBench, how: () => Promise<never>): RecoveryLoopDeps {
  const { readJob, findRunner } = bench.forge
  const isPoison = ({ repository }: { readonly repository: string }) => repository === 'acme/web-1'
  const forge: RecoveryLoopDeps['forge'] = {
    ...bench.forge,
    readJob: (scope, id, signal) => (isPoison(scope) ? how() : readJob(scope, id, signal)),
    findRunner: (scope, name, signal) => (isPoison(scope) ? how() : findRunner(scope, name, signal)),
  }
  return { ...bench, forge }
}

/** A pass, and the looks that it left under way. */
async function pass(loop: Loop): Promise<void> {
  await loop.pass(never)
  await loop.ended?.()
}

const decided = (bench: ControlBench) => [...bench.ledger.rows.decisions.values()].map(({ jobId }) => jobId)
const opened = (bench: ControlBench) => bench.ledger.incidents(10)

describe('a subject whose look fails', () => {
  it('does not keep the others from their look, however long it is overdue', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 3)
    await pass(recoveryLoop(poisoned(bench, broken), 1_000))
    expect(decided(bench)).toEqual(expect.arrayContaining([2, 3]))
    expect(decided(bench)).not.toContain(1)
    expect(bench.metrics.counts.get('holdfast_looks_failed_total{attempt}')).toBe(1)
  })

  it('is postponed, each time for longer, up to ten minutes', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 1)
    const loop = recoveryLoop(poisoned(bench, broken), 1_000)
    const waits: number[] = []
    for (let n = 0; n < 12; n += 1) {
      await pass(loop)
      const waitMs = (bench.ledger.rows.attempts.get(1)?.checkAt ?? 0) - bench.clock.now()
      waits.push(waitMs)
      await bench.advance(waitMs)
    }
    expect(waits[0]).toBeGreaterThanOrEqual(2_500)
    expect(waits[0]).toBeLessThanOrEqual(5_000)
    expect(waits[3]).toBeGreaterThanOrEqual(20_000)
    for (const waitMs of waits) expect(waitMs).toBeLessThanOrEqual(10 * 60_000)
    expect(waits.at(-1)).toBeGreaterThanOrEqual(5 * 60_000)
  })

  it('opens one incident that names it, reported once, and closed after a look that succeeds', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 1)
    let how = broken
    const loop = recoveryLoop(
      poisoned(bench, () => how()),
      1_000,
    )
    for (let n = 0; n < 3; n += 1) {
      await pass(loop)
      await bench.advance(60_000)
    }
    expect(await opened(bench)).toMatchObject([
      { kind: 'look-failed', scope: 'installation', key: 'sim', timesSeen: 3, closedAt: null },
    ])
    expect((await opened(bench))[0]?.reason).toBe('attempt 1: this one is broken')
    expect(bench.log.lines.filter(({ level }) => level === 'error')).toHaveLength(1)
    how = silent
    await pass(loop)
    await pass(loop)
    expect(await opened(bench)).toMatchObject([{ closedAt: expect.any(Number) }])
  })

  it('opens no incident for an unavailable forge, which is an outage and no defect', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 2)
    const loop = recoveryLoop(poisoned(bench, silent), 1_000)
    for (let n = 0; n < 10; n += 1) {
      await pass(loop)
      await bench.advance(60_000)
    }
    expect(await opened(bench)).toEqual([])
  })

  it('opens an incident where one of its acts repeatedly gets no answer', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 1)
    const ledger = { ...bench.ledger, recordDecision: silent }
    const loop = recoveryLoop({ ...bench, ledger }, 1_000)
    for (let n = 0; n < 5; n += 1) {
      await pass(loop)
      await bench.advance(10 * 60_000)
    }
    expect(await opened(bench)).toEqual([])
    await pass(loop)
    expect(await opened(bench)).toMatchObject([{ kind: 'look-failed', closedAt: null }])
  })

  it('does not hide a failure of the ledger: a subject that cannot be postponed fails the pass, after the others', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 3)
    const gone = new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: 'a lock', outcomeUnknown: false })
    const postpone: RecoveryLoopDeps['ledger']['postpone'] = async (of, delayMs) => {
      if (of.kind === 'attempt' && of.id === 1) throw gone
      await bench.ledger.postpone(of, delayMs)
    }
    const loop = recoveryLoop({ ...bench, ledger: { ...bench.ledger, postpone } }, 1_000)
    await loop.pass(never)
    await bench.advance(0)
    await expect(loop.pass(never)).rejects.toBe(gone)
    expect(decided(bench)).toEqual(expect.arrayContaining([2, 3]))
  })

  it('closes an incident of an earlier process once nothing has failed for the longest back-off', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 1)
    await pass(recoveryLoop(poisoned(bench, broken), 1_000))
    const next = recoveryLoop(bench, 1_000)
    await pass(next)
    expect(await opened(bench)).toMatchObject([{ closedAt: null }])
    await bench.advance(20 * 60_000)
    await pass(next)
    expect(await opened(bench)).toMatchObject([{ closedAt: expect.any(Number) }])
  })

  it('may also be one that this version cannot read', async () => {
    const bench = await createControlBench()
    await staleClaims(bench, 2)
    const due: RecoveryLoopDeps['ledger']['due'] = async (limit, host) =>
      (await bench.ledger.due(limit, host)).map((each) =>
        each.kind === 'attempt' && each.attempt.id === 1
          ? { kind: 'unreadable', of: { kind: 'attempt', id: 1 }, error: new Error('paused') }
          : each,
      )
    await pass(recoveryLoop({ ...bench, ledger: { ...bench.ledger, due } }, 1_000))
    expect(decided(bench)).toContain(2)
    expect((await bench.ledger.due(10, hostId)).map(({ kind }) => kind)).not.toContain('attempt')
    expect(await opened(bench)).toMatchObject([{ kind: 'look-failed', reason: 'attempt 1: paused' }])
  })
})
