import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../test/support/control-bench.ts'
import { createReconciler, type ReconcileResult, type ReconcilerSpec } from './index.ts'

const resyncEveryMs = 60_000

async function createReconciled(over: Partial<ReconcilerSpec> = {}) {
  const bench = await createControlBench()
  const names: string[] = []
  const answers = new Map<string, ReconcileResult | Error>()
  let resynced = 0
  const spec: ReconcilerSpec = {
    name: 'runner-lifecycle',
    resyncEveryMs,
    async resync() {
      resynced += 1
      return []
    },
    async reconcile(name) {
      names.push(name)
      const answer = answers.get(name) ?? null
      if (answer instanceof Error) throw answer
      return answer
    },
    ...over,
  }
  const loop = createReconciler(spec, bench)
  let notified = 0
  loop.subscribe?.(() => {
    notified += 1
  })
  return { bench, loop, names, answers, counts: () => ({ resynced, notified }) }
}

async function passAfter(
  ms: number,
  { bench, loop }: { bench: ControlBench; loop: ReturnType<typeof createReconciler> },
) {
  await bench.advance(ms)
  return loop.pass(never)
}

describe('a reconciler', () => {
  it('reconciles a name once after many changes, and none without a change', async () => {
    const reconciled = await createReconciled()
    const { bench, loop, names } = reconciled
    for (const name of ['a', 'b', 'a', 'a']) bench.host.change(name)
    await loop.pass(never)
    await loop.pass(never)
    expect(names).toEqual(['a', 'b'])
  })

  it('resyncs at the start and then at its interval, however many changes there are', async () => {
    const reconciled = await createReconciled()
    for (let pass = 0; pass < 3; pass += 1) {
      reconciled.bench.host.change('a')
      await reconciled.loop.pass(never)
    }
    expect(reconciled.counts().resynced).toBe(1)
    expect(await passAfter(resyncEveryMs - 1, reconciled)).toEqual({ kind: 'requeue-after', afterMs: 1 })
    await passAfter(1, reconciled)
    expect(reconciled.counts().resynced).toBe(2)
  })

  it('reconciles a name again after the delay that it asked for', async () => {
    const reconciled = await createReconciled()
    reconciled.answers.set('a', 5_000)
    reconciled.bench.host.change('a')
    expect(await reconciled.loop.pass(never)).toEqual({ kind: 'requeue-after', afterMs: 5_000 })
    await passAfter(4_999, reconciled)
    expect(reconciled.names).toEqual(['a'])
    await passAfter(1, reconciled)
    expect(reconciled.names).toEqual(['a', 'a'])
  })

  it('ignores changes of a name that is over, and is not woken by them', async () => {
    const reconciled = await createReconciled()
    reconciled.answers.set('a', 'over')
    reconciled.bench.host.change('a')
    await reconciled.loop.pass(never)
    reconciled.bench.host.change('a')
    await reconciled.loop.pass(never)
    expect(reconciled.names).toEqual(['a'])
    expect(reconciled.counts().notified).toBe(1)
  })

  it('reconciles a name that is over again where the resync returns it', async () => {
    const reconciled = await createReconciled({ resync: async () => ['a'] })
    reconciled.answers.set('a', 'over')
    await reconciled.loop.pass(never)
    await passAfter(resyncEveryMs, reconciled)
    expect(reconciled.names).toEqual(['a', 'a'])
  })

  it('backs off longer with each failure of a name, whatever changes, and holds up no other', async () => {
    const reconciled = await createReconciled()
    const { bench, loop, names } = reconciled
    reconciled.answers.set('bad', new Error('no'))
    bench.host.change('bad')
    expect(await loop.pass(never)).toEqual({ kind: 'requeue-after', afterMs: 1_000 })
    bench.host.change('bad')
    bench.host.change('good')
    await loop.pass(never)
    expect(names).toEqual(['bad', 'good'])
    expect(await passAfter(1_000, reconciled)).toEqual({ kind: 'requeue-after', afterMs: 2_000 })
    expect(bench.metrics.counts.get('holdfast_task_failures_total{runner-lifecycle}')).toBe(2)
    reconciled.answers.delete('bad')
    await passAfter(2_000, reconciled)
    bench.host.change('bad')
    await loop.pass(never)
    expect(names).toEqual(['bad', 'good', 'bad', 'bad', 'bad'])
  })

  it('reconciles names that changed although the resync fails, and fails afterwards', async () => {
    const reconciled = await createReconciled({ resync: () => Promise.reject(new Error('away')) })
    reconciled.bench.host.change('a')
    await expect(reconciled.loop.pass(never)).rejects.toThrow('away')
    expect(reconciled.names).toEqual(['a'])
  })

  it('does not wait for a time that is far off because the clock was set back', async () => {
    const reconciled = await createReconciled()
    reconciled.answers.set('a', 1_000)
    reconciled.bench.host.change('a')
    await reconciled.loop.pass(never)
    await passAfter(-3_600_000, reconciled)
    expect(reconciled.names).toEqual(['a', 'a'])
  })
})
