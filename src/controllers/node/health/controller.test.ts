import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  createControlBench,
  exited,
  never,
} from '../../../../test/support/control-bench.ts'
import { classifyDeath, type Ending } from '../../../domain/death/index.ts'
import { aPodEnd } from '../../../domain/death/testing.ts'
import { lostRecord } from '../../../domain/recovery/index.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import type { HostNode } from '../../../ports/runner-host.ts'
import { createNodeHealth } from './index.ts'

const node = (name: string, over: Partial<HostNode> = {}): HostNode => ({
  name,
  isReady: true,
  isCordoned: false,
  pressures: [],
  ...over,
})

async function createHealth(...nodes: HostNode[]) {
  const bench = await createControlBench()
  bench.host.nodeList.push(...nodes)
  const events: FleetEvent[] = []
  const health = createNodeHealth({ ...bench, recordEvent: (event) => events.push(event) })
  return { bench, events, ...health }
}

/** A runner on a node that polls for work. */
async function runs(bench: ControlBench, name: string, on: string) {
  const runner = await bench.runner(name)
  bench.host.runners.set(name, 'running')
  bench.host.facts.set(name, { program: 'waiting', node: on })
  await bench.ledger.polled(runner.id)
  return runner
}

async function failsToStart(bench: ControlBench, name: string, on: string): Promise<void> {
  const place = { namespace: 'ci', pod: name, uid: name, node: on }
  const startProblem = { kind: 'SandboxFailed', message: 'no network', since: 1 } as const
  const ending: Ending = {
    ...exited,
    startedAt: null,
    exitCode: null,
    pod: aPodEnd({ place, trouble: startProblem, phase: 'Pending', containers: [] }),
  }
  const { id } = await bench.runner(name)
  await bench.ledger.sealDeath(id, classifyDeath(ending), 'never-started', { source: 'lifecycle' })
}

describe('the health of nodes', () => {
  it('drains idle runners from a cordoned node, and lets runners with a job finish', async () => {
    const { bench, loop, quarantine } = await createHealth(node('n1', { isCordoned: true }), node('n2'))
    await bench.queue()
    const busy = await runs(bench, 'linux-0001', 'n1')
    await bench.ledger.claim(busy, '11111111-1111-4111-8111-111111111111', 60_000)
    await runs(bench, 'linux-0002', 'n1')
    await runs(bench, 'linux-0003', 'n2')
    await loop.pass(never)
    expect(bench.host.calls).toEqual(['stop linux-0002: its node n1 is being drained'])
    expect((await bench.ledger.findRunner('linux-0002'))?.state).toBe('fenced')
    expect(quarantine.avoided()).toEqual(['n1'])
  })

  it('writes no cordon into a new runner: it would outlast the cordon', async () => {
    const { loop, quarantine } = await createHealth(node('n1', { isCordoned: true }))
    await loop.pass(never)
    expect(quarantine.placing()).toEqual({ avoidNodes: [], unwantedNodes: [] })
  })

  it('keeps new runners away from a node under pressure, and leaves the runners that are there', async () => {
    const { bench, loop, quarantine } = await createHealth(
      node('n1', { pressures: ['DiskPressure'] }),
      node('n2'),
    )
    await runs(bench, 'linux-0001', 'n1')
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual(['n1'])
    expect(quarantine.placing()).toEqual({ avoidNodes: [], unwantedNodes: ['n1'] })
    expect(bench.host.calls).toEqual([])
  })

  it('quarantines a node on which starts fail, reports it once, and lifts it after a time', async () => {
    const { bench, events, loop, quarantine } = await createHealth(node('n1'), node('n2'), node('n3'))
    for (const number of [1, 2, 3]) await failsToStart(bench, `linux-000${number}`, 'n1')
    await runs(bench, 'linux-0009', 'n2')
    await loop.pass(never)
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual(['n1'])
    expect(quarantine.placing()).toEqual({ avoidNodes: ['n1'], unwantedNodes: [] })
    expect([...bench.ledger.rows.decisions.values()].map(({ rule }) => rule)).toEqual(['degraded-node'])
    await bench.advance(10 * 60_000)
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual([])
    expect(events.map(({ reason }) => reason)).toEqual(['NodeQuarantined', 'NodeReleased'])
  })

  it('keeps a node in quarantine when the runners that started elsewhere have ended', async () => {
    const { bench, loop, quarantine } = await createHealth(node('n1'), node('n2'), node('n3'))
    for (const number of [1, 2, 3]) await failsToStart(bench, `linux-000${number}`, 'n1')
    const { id, name } = await runs(bench, 'linux-0009', 'n2')
    await loop.pass(never)
    await bench.ledger.sealDeath(id, classifyDeath(exited), 'clean', { source: 'lifecycle' })
    bench.host.runners.delete(name)
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual(['n1'])
  })

  it('blames a node that does not remove runners that never ran, and not one that was only just asked to', async () => {
    const { bench, loop, quarantine } = await createHealth(node('n1'), node('n2'), node('n3'))
    const since = bench.clock.now()
    for (const number of [1, 2, 3]) {
      const { id, name } = await bench.runner(`linux-000${number}`)
      await bench.ledger.fence(id, 'it did not ask for work in time', { source: 'lifecycle' })
      bench.host.runners.set(name, 'running')
      bench.host.facts.set(name, { program: 'waiting', node: 'n1', leavingSince: since })
    }
    await bench.advance(59_000)
    await runs(bench, 'linux-0009', 'n2')
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual([])
    await bench.advance(1_000)
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual(['n1'])
  })

  it('still blames it when those runners have ended in the ledger', async () => {
    const { bench, loop, quarantine } = await createHealth(node('n1'), node('n2'), node('n3'))
    const leavingSince = bench.clock.now()
    for (const number of [1, 2, 3]) {
      const { id, name } = await bench.runner(`linux-000${number}`)
      await bench.ledger.fence(id, 'it did not ask for work in time', { source: 'lifecycle' })
      await bench.ledger.sealDeath(id, lostRecord({ class: 'never-started', because: [] }), 'never-started', {
        source: 'recovery',
      })
      bench.host.runners.set(name, 'running')
      bench.host.facts.set(name, { program: 'waiting', node: 'n1', leavingSince })
    }
    await runs(bench, 'linux-0009', 'n2')
    await bench.advance(5 * 60_000)
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual(['n1'])
  })

  it('is judged when a runner changes, such as when its node is cordoned', async () => {
    const { bench, loop } = await createHealth(node('n1'), node('n2'))
    let rings = 0
    const unlisten = loop.subscribe?.(() => {
      rings += 1
    })
    bench.host.change('linux-0001')
    expect(rings).toBe(1)
    unlisten?.()
    bench.host.change('linux-0001')
    expect(rings).toBe(1)
  })

  it('does not blame a node for runners that polled for work and take long to leave', async () => {
    const { bench, loop, quarantine } = await createHealth(node('n1'), node('n2'), node('n3'))
    for (const number of [1, 2, 3]) {
      const { id, name } = await runs(bench, `linux-000${number}`, 'n1')
      await bench.ledger.fence(id, 'more runners than needed', { source: 'scale' })
      bench.host.facts.set(name, { program: 'waiting', node: 'n1', leavingSince: bench.clock.now() })
    }
    await runs(bench, 'linux-0009', 'n2')
    await bench.advance(2 * 60_000)
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual([])
  })

  it('does not quarantine one of two schedulable nodes: a cordoned third one does not count', async () => {
    const cordoned = node('n3', { isCordoned: true })
    const { bench, loop, quarantine } = await createHealth(node('n1'), node('n2'), cordoned)
    for (const number of [1, 2, 3]) await failsToStart(bench, `linux-000${number}`, 'n1')
    await runs(bench, 'linux-0009', 'n2')
    await loop.pass(never)
    expect(quarantine.avoided()).toEqual(['n3'])
  })

  it('restores a quarantine after a restart', async () => {
    const { bench, loop } = await createHealth(node('n1'), node('n2'), node('n3'))
    for (const number of [1, 2, 3]) await failsToStart(bench, `linux-000${number}`, 'n1')
    await runs(bench, 'linux-0009', 'n2')
    await loop.pass(never)
    const again = createNodeHealth(bench)
    await again.loop.pass(never)
    expect(again.quarantine.avoided()).toEqual(['n1'])
  })

  it('keeps its last result when the nodes cannot be read', async () => {
    const { bench, loop, quarantine } = await createHealth(node('n1', { isCordoned: true }))
    await loop.pass(never)
    bench.host.nodes = () => Promise.reject(new Error('away'))
    await expect(loop.pass(never)).rejects.toThrow('away')
    expect(quarantine.avoided()).toEqual(['n1'])
  })

  it('does not query the ledger where there is only one place', async () => {
    const { bench } = await createHealth()
    const ledger = { ...bench.ledger, failedStarts: () => Promise.reject(new Error('asked')) }
    await createNodeHealth({ ...bench, ledger }).loop.pass(never)
  })

  it('drains the other idle runners where some cannot be fenced', async () => {
    const { bench, loop } = await createHealth(node('n1', { isCordoned: true }), node('n2'))
    const names = Array.from({ length: 40 }, (_, n) => `linux-${String(n).padStart(4, '0')}`)
    for (const name of names) await runs(bench, name, 'n1')
    const poison = new Set(names.slice(0, 20))
    const { stop } = bench.host
    bench.host.stop = (name, order) =>
      poison.has(name) ? Promise.reject(new Error('a test')) : stop(name, order)
    await loop.pass(never)
    expect(bench.host.calls).toHaveLength(20)
    expect(bench.metrics.counts.get('holdfast_task_failures_total{node-health}')).toBe(20)
  })

  it('drains idle runners, and reports other nodes, where one quarantine cannot be recorded', async () => {
    const { bench, events, loop } = await createHealth(
      ...['n1', 'n2', 'n3', 'n4', 'n5'].map((name) => node(name)),
      node('n6', { isCordoned: true }),
    )
    for (const on of ['n1', 'n2'])
      for (let n = 0; n < 5; n += 1) await failsToStart(bench, `linux-${on}-${n}`, on)
    for (const on of ['n3', 'n4', 'n5', 'n6']) await runs(bench, `linux-${on}`, on)
    const { recordDecision } = bench.ledger
    const record =
      (isPoison: boolean): typeof recordDecision =>
      (decision) =>
        isPoison && JSON.stringify(decision.facts).includes('"n1"')
          ? Promise.reject(new Error('a test'))
          : recordDecision(decision)
    bench.ledger.recordDecision = record(true)
    await loop.pass(never)
    const quarantines = () => events.filter(({ reason }) => reason === 'NodeQuarantined')
    expect(quarantines()).toHaveLength(1)
    expect(bench.host.calls).toEqual(['stop linux-n6: its node n6 is being drained'])
    bench.ledger.recordDecision = record(false)
    await loop.pass(never)
    expect(quarantines()).toHaveLength(2)
  })
})
