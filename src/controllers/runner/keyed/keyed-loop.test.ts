import { describe, expect, it } from 'vitest'
import { type ControlBench, createControlBench, never } from '../../../../test/support/control-bench.ts'
import { type KeyedWork, keyedLoop, type WorkedOn } from './index.ts'

const compareEveryMs = 60_000

async function createKeyed(over: Partial<KeyedWork> = {}) {
  const bench = await createControlBench()
  const worked: string[] = []
  const answers = new Map<string, WorkedOn | Error>()
  let compared = 0
  const work: KeyedWork = {
    name: 'runner-lifecycle',
    compareEveryMs,
    async compare() {
      compared += 1
      return []
    },
    async work(name) {
      worked.push(name)
      const answer = answers.get(name) ?? null
      if (answer instanceof Error) throw answer
      return answer
    },
    ...over,
  }
  const loop = keyedLoop(work, bench)
  let rung = 0
  loop.listen?.(() => {
    rung += 1
  })
  return { bench, loop, worked, answers, counts: () => ({ compared, rung }) }
}

async function passAfter(
  ms: number,
  { bench, loop }: { bench: ControlBench; loop: ReturnType<typeof keyedLoop> },
) {
  await bench.advance(ms)
  return loop.pass(never)
}

describe('a loop by key', () => {
  it('works once on a name that changed often, and on none without a change', async () => {
    const keyed = await createKeyed()
    const { bench, loop, worked } = keyed
    for (const name of ['a', 'b', 'a', 'a']) bench.host.change(name)
    await loop.pass(never)
    await loop.pass(never)
    expect(worked).toEqual(['a', 'b'])
  })

  it('compares at the beginning and then so often, however many changes there are', async () => {
    const keyed = await createKeyed()
    for (let pass = 0; pass < 3; pass += 1) {
      keyed.bench.host.change('a')
      await keyed.loop.pass(never)
    }
    expect(keyed.counts().compared).toBe(1)
    expect(await passAfter(compareEveryMs - 1, keyed)).toEqual({ kind: 'again', inMs: 1 })
    await passAfter(1, keyed)
    expect(keyed.counts().compared).toBe(2)
  })

  it('looks again when the work asked for it', async () => {
    const keyed = await createKeyed()
    keyed.answers.set('a', 5_000)
    keyed.bench.host.change('a')
    expect(await keyed.loop.pass(never)).toEqual({ kind: 'again', inMs: 5_000 })
    await passAfter(4_999, keyed)
    expect(keyed.worked).toEqual(['a'])
    await passAfter(1, keyed)
    expect(keyed.worked).toEqual(['a', 'a'])
  })

  it('hears no change of a name that is over, and is not woken by it', async () => {
    const keyed = await createKeyed()
    keyed.answers.set('a', 'over')
    keyed.bench.host.change('a')
    await keyed.loop.pass(never)
    keyed.bench.host.change('a')
    await keyed.loop.pass(never)
    expect(keyed.worked).toEqual(['a'])
    expect(keyed.counts().rung).toBe(1)
  })

  it('works again on a name that is over where the comparison says so', async () => {
    const keyed = await createKeyed({ compare: async () => ['a'] })
    keyed.answers.set('a', 'over')
    await keyed.loop.pass(never)
    await passAfter(compareEveryMs, keyed)
    expect(keyed.worked).toEqual(['a', 'a'])
  })

  it('pauses longer with each failure of a name, whatever changes, and holds up no other', async () => {
    const keyed = await createKeyed()
    const { bench, loop, worked } = keyed
    keyed.answers.set('bad', new Error('no'))
    bench.host.change('bad')
    expect(await loop.pass(never)).toEqual({ kind: 'again', inMs: 1_000 })
    bench.host.change('bad')
    bench.host.change('good')
    await loop.pass(never)
    expect(worked).toEqual(['bad', 'good'])
    expect(await passAfter(1_000, keyed)).toEqual({ kind: 'again', inMs: 2_000 })
    expect(bench.metrics.counts.get('holdfast_task_failures_total{runner-lifecycle}')).toBe(2)
    keyed.answers.delete('bad')
    await passAfter(2_000, keyed)
    bench.host.change('bad')
    await loop.pass(never)
    expect(worked).toEqual(['bad', 'good', 'bad', 'bad', 'bad'])
  })

  it('works on what changed although the comparison fails, and fails then', async () => {
    const keyed = await createKeyed({ compare: () => Promise.reject(new Error('away')) })
    keyed.bench.host.change('a')
    await expect(keyed.loop.pass(never)).rejects.toThrow('away')
    expect(keyed.worked).toEqual(['a'])
  })

  it('does not wait for a time that is far off since the clock was set back', async () => {
    const keyed = await createKeyed()
    keyed.answers.set('a', 1_000)
    keyed.bench.host.change('a')
    await keyed.loop.pass(never)
    await passAfter(-3_600_000, keyed)
    expect(keyed.worked).toEqual(['a', 'a'])
  })
})
