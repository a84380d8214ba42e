import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  never,
} from '../../../../test/support/control-bench.ts'
import { pending, pendingAll, refused, settle } from '../../../../test/support/pending-starts.ts'
import { aPool } from '../../../../test/support/rows.ts'
import { classifyDeath } from '../../../domain/death/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import { adopt, createStarter } from './index.ts'

describe('a start with an unknown outcome', () => {
  const failing = (bench: ControlBench, times: number) => {
    const { start } = bench.host
    let left = times
    bench.host.start = async (runner, signal) => {
      left -= 1
      if (left >= 0) throw new HoldfastError('E_RUNNER_START', { name: runner.name, reason: 'a test' })
      return start(runner, signal)
    }
  }

  it('is retried under the same name', async () => {
    const bench = await createControlBench()
    failing(bench, 2)
    createStarter(bench).add([await pending(bench, 'linux-1')])
    await settle()
    await bench.advance(5_000)
    await bench.advance(5_000)
    expect(bench.host.calls).toEqual(['start linux-1'])
    expect(bench.ledger.rows.runners.size).toBe(1)
  })

  it('is not retried once the runner has polled, or was given up', async () => {
    for (const become of ['polled', 'fenced'] as const) {
      const bench = await createControlBench()
      failing(bench, 1)
      const start = await pending(bench, 'linux-1')
      createStarter(bench).add([start])
      await settle()
      if (become === 'polled') await bench.ledger.polled(start.runner.id)
      else await bench.ledger.fence(start.runner.id, 'a test', cause)
      await bench.advance(5_000)
      expect(bench.host.calls).toEqual([])
    }
  })

  it('is not retried after its end was sealed, also where that happens while it waits for the mutex', async () => {
    const bench = await createControlBench()
    failing(bench, 1)
    const start = await pending(bench, 'linux-1')
    createStarter(bench).add([start])
    await settle()
    const gate = Promise.withResolvers<void>()
    const sealing = bench.runnerMutex.run('linux-1', async () => {
      await gate.promise
      await bench.ledger.sealDeath(start.runner.id, classifyDeath(null), 'vanished', cause)
    })
    await bench.advance(5_000)
    expect(bench.host.calls).toEqual([])
    gate.resolve()
    await sealing
    await settle()
    expect(bench.host.calls).toEqual([])
  })

  it('is not retried after its deadline', async () => {
    const bench = await createControlBench()
    failing(bench, 1)
    createStarter(bench).add([await pending(bench, 'linux-1', { deadline: bench.clock.now() + 400 })])
    await settle()
    await bench.advance(5_000)
    expect(bench.host.calls).toEqual([])
  })
})

describe('a first start', () => {
  it('does not read the ledger while it is fresh, and begins only if the runner still boots when it is not', async () => {
    for (const isFresh of [true, false]) {
      const bench = await createControlBench()
      const freshUntil = bench.clock.now() + (isFresh ? 1 : 0)
      const start = await pending(bench, 'linux-1', { freshUntil })
      await bench.ledger.sealDeath(start.runner.id, classifyDeath(null), 'vanished', cause)
      createStarter(bench).add([start])
      await settle()
      expect(bench.host.calls).toEqual(isFresh ? ['start linux-1'] : [])
    }
  })

  it('holds the mutex of its runner until its outcome is known', async () => {
    const bench = await createControlBench()
    const gate = Promise.withResolvers<void>()
    const { start } = bench.host
    bench.host.start = async (runner, signal) => {
      await gate.promise
      return start(runner, signal)
    }
    createStarter(bench).add([await pending(bench, 'linux-1')])
    const found = bench.runnerMutex.run('linux-1', () => bench.host.find('linux-1', never))
    await settle()
    gate.resolve()
    expect(await found).toMatchObject({ name: 'linux-1' })
  })
})

describe('starts that an earlier process left', () => {
  it('are not retried where the pod is known: it is gone, and its runner with it', async () => {
    const bench = await createControlBench()
    const { runner } = await pending(bench, 'linux-1')
    await bench.ledger.postpone({ kind: 'runner', id: runner.id }, 20_000)
    await bench.ledger.bindPod(runner.id, 'uid-of-the-first')
    createStarter(bench).add(await adopt(bench, bench.clock.now()))
    await settle()
    expect(bench.host.calls).toEqual([])
  })

  it('are retried until their boot deadline, and not beyond it', async () => {
    const bench = await createControlBench()
    const { runner } = await pending(bench, 'linux-1')
    await bench.ledger.postpone({ kind: 'runner', id: runner.id }, 20_000)
    const now = bench.clock.now()
    expect(await adopt(bench, now)).toMatchObject([{ deadline: now + 20_000, mayExist: true }])
    await bench.advance(20_000)
    createStarter(bench).add(await adopt(bench, bench.clock.now()))
    await settle()
    expect(bench.host.calls).toEqual([])
  })

  it('are ended where their secret is lost and nothing of them exists, and not where something does', async () => {
    const bench = await createControlBench()
    const [none, some] = [await bench.runner('linux-1'), await bench.runner('linux-2')]
    bench.host.runners.set(some.name, 'running')
    bench.host.list = async () => [] // it appeared after the list
    expect(await adopt(bench, bench.clock.now())).toEqual([])
    expect((await bench.ledger.findRunner(none.name))?.state).toBe('ended')
    expect((await bench.ledger.findRunner(some.name))?.state).toBe('booting')
  })
})

describe('starts', () => {
  it('avoid quarantined nodes, and prefer others to those under pressure', async () => {
    const bench = await createControlBench()
    const avoided: unknown[] = []
    bench.host.start = async ({ avoidNodes, unwantedNodes }) => {
      avoided.push(avoidNodes, unwantedNodes)
      return { kind: 'started' }
    }
    createStarter({
      ...bench,
      quarantine: { ...bench.quarantine, placing: () => ({ avoidNodes: ['bad'], unwantedNodes: ['poor'] }) },
    }).add([await pending(bench, 'linux-1')])
    await settle()
    expect(avoided).toEqual([['bad'], ['poor']])
  })

  it('can be withdrawn before they begin, and not afterwards', async () => {
    const bench = await createControlBench()
    bench.host.refusal = refused
    const starter = createStarter(bench)
    starter.add(await pendingAll(bench, ['linux-0']))
    await settle()
    starter.add(await pendingAll(bench, ['linux-1', 'linux-2']))
    expect(starter.takeBack('linux-1')).toBe(true)
    expect(starter.takeBack('linux-1')).toBe(false)
    expect(starter.takeBack('linux-0')).toBe(false)
    bench.host.refusal = null
    await bench.advance(60_000)
    expect(bench.host.calls).toEqual(['start linux-2'])
  })

  it('are taken from the pools in rotation', async () => {
    const bench = await createControlBench()
    await bench.ledger.putPools([aPool(), aPool({ name: 'mac', labels: ['mac'] })], cause)
    const many = Array.from({ length: 20 }, (_, n) => `linux-${n}`)
    const gate = Promise.withResolvers<void>()
    const order: string[] = []
    bench.host.start = async ({ name }) => {
      order.push(name)
      if (order.length <= 16) await gate.promise
      return { kind: 'started' }
    }
    const starter = createStarter(bench)
    starter.add(await pendingAll(bench, many))
    starter.add(await pendingAll(bench, ['mac-1']))
    gate.resolve()
    await settle()
    expect(order.indexOf('mac-1')).toBeLessThanOrEqual(17)
    expect(order).toHaveLength(21)
  })

  it('begin no more once they are shut down', async () => {
    const bench = await createControlBench()
    bench.host.refusal = refused
    const starter = createStarter(bench)
    starter.add(await pendingAll(bench, ['linux-1', 'linux-2']))
    await starter.shutDown()
    bench.host.refusal = null
    await bench.advance(60_000)
    expect(bench.host.calls).toEqual([])
  })
})

describe('a burst of starts', () => {
  it.each([
    [200, 1],
    [40, 1],
    [10, 0],
  ])('of %i requests more %i times before it is done', async (count, calls) => {
    const bench = await createControlBench()
    const starter = createStarter(bench)
    let rung = 0
    let started = 0
    const startedWhenRung: number[] = []
    starter.onRoom(() => {
      rung += 1
      startedWhenRung.push(started)
    })
    const { start } = bench.host
    bench.host.start = (...args) => {
      started += 1
      return start(...args)
    }
    const names = Array.from({ length: count }, (_, n) => `linux-${n}`)
    starter.add(await pendingAll(bench, names))
    await expect.poll(() => started).toBe(count)
    await settle()
    expect(rung).toBe(calls)
    for (const before of startedWhenRung) expect(before).toBeLessThanOrEqual(count / 2)
  })
})
