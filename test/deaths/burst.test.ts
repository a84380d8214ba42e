import { describe, expect, it } from 'vitest'
import { lifecycleLoop } from '../../src/controllers/runner/lifecycle/index.ts'
import { createControlBench, exited, never } from '../support/control-bench.ts'

const deaths = 500
const withinMs = 60_000
const passesMax = 1_000
const lookEveryMs = 1_000
/** As long as a container may take to be read: the host reads some at a time, and must not be asked one by one. */
const readMs = 20

describe('500 deaths within a minute', () => {
  it('are all sealed, each once, though each takes its time to be read and is reported twice', async () => {
    const bench = await createControlBench()
    const names = Array.from({ length: deaths }, (_, index) => `linux-${`${index}`.padStart(4, '0')}`)
    for (const name of names) {
      await bench.runner(name)
      bench.host.runners.set(name, 'running')
    }
    let sealed = 0
    const ledger = {
      ...bench.ledger,
      sealDeath: (...given: Parameters<typeof bench.ledger.sealDeath>) => {
        sealed += 1
        return bench.ledger.sealDeath(...given)
      },
    }
    const ending = async (name: string) => {
      if (bench.host.runners.get(name) !== 'exited') return null
      await new Promise((resolve) => setTimeout(resolve, readMs))
      return { ...exited, tail: 'x'.repeat(64 * 1024) }
    }
    const loop = lifecycleLoop({ ...bench, ledger, host: { ...bench.host, ending } })
    loop.subscribe?.(() => undefined)
    await loop.pass(never)
    for (const name of names) bench.host.runners.set(name, 'exited')
    for (const name of [...names, ...names]) bench.host.change(name)
    const began = performance.now()
    for (let pass = 0; bench.host.runners.size > 0 && pass < passesMax; pass += 1) {
      await bench.advance(lookEveryMs)
      await loop.pass(never)
    }
    expect(performance.now() - began).toBeLessThan(withinMs)
    expect(bench.ledger.rows.evidence.size).toBe(deaths)
    expect(sealed).toBe(deaths)
    expect([...bench.host.calls].toSorted()).toEqual(names.map((name) => `release ${name}`))
  }, 90_000)
})
