import { beforeEach, describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  hostId,
  never,
} from '../../../../test/support/control-bench.ts'
import type { DeathRecord } from '../../../domain/death/index.ts'
import { aDeathRecord, anEnd, aPodEnd } from '../../../domain/death/testing.ts'
import type { FleetEvent } from '../../../ports/declared-pools.ts'
import { commonCausesLoop } from './index.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const node = 'm789d'
const key = `never-started on node ${node}`
let count = 0
let bench: ControlBench
let told: FleetEvent[]
let pass: () => Promise<unknown>
beforeEach(async () => {
  bench = await createControlBench()
  told = []
  const loop = commonCausesLoop({ ...bench, tell: (event) => told.push(event) })
  pass = () => loop.pass(never)
})

async function enrol(): Promise<{ id: number; name: string }> {
  count += 1
  const given = {
    name: `linux-${count}`,
    pool: 'linux',
    host: hostId,
    identityHash: null,
    bootDeadlineMs: 1_000,
  }
  return bench.ledger.enrol(given, cause)
}

/** Ten nodes with as many runners each, which are well. */
async function fleet(): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    const { name } = await enrol()
    bench.host.runners.set(name, 'running')
    bench.host.facts.set(name, { node: `node-${n % 10}` })
  }
}

async function die(on: string, times = 1, over: Partial<DeathRecord> = {}): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const runner = await enrol()
    const place = { namespace: 'ci', pod: runner.name, uid: runner.name, node: on }
    const ending = anEnd({ endedAt: bench.clock.now(), pod: aPodEnd({ place }) })
    await bench.ledger.sealDeath(
      runner.id,
      aDeathRecord({ class: 'never-started', ending, ...over }),
      'gone',
      cause,
    )
    await bench.advance(40_000)
  }
}

const incidents = () => bench.ledger.incidents(10)
const said = (level: string) => bench.log.lines.filter((line) => line.level === level)

describe('what ends have in common', () => {
  it('opens an incident with its words, told once in the log, in the metrics and on the pool', async () => {
    await fleet()
    await die('node-1')
    await die(node, 9)
    await die('node-2')
    await pass()
    expect(await incidents()).toMatchObject([
      { kind: 'deaths-on-node', scope: 'runners', key, installation: 'sim', timesSeen: 1, closedAt: null },
    ])
    expect((await incidents())[0]?.reason).toMatch(/^9 of 11 `never-started` on node m789d in 5 min; /)
    expect(bench.metrics.counts.get('holdfast_incidents_total{deaths-on-node}')).toBe(1)
    expect(said('error')).toMatchObject([{ fields: { incident: 'deaths-on-node', cause: key } }])
    expect(told).toMatchObject([{ about: { kind: 'pool', name: 'linux' }, reason: 'DeathsAlike' }])
  })

  it('is told although another cannot be noted, which is tried again', async () => {
    await fleet()
    await die('node-poison', 9)
    await die(node, 9)
    let isPoisoned = true
    const raiseIncident: typeof bench.ledger.raiseIncident = (incident, holdMs) =>
      isPoisoned && incident.key.includes('node-poison')
        ? Promise.reject(new Error('a test'))
        : bench.ledger.raiseIncident(incident, holdMs)
    const ledger = { ...bench.ledger, raiseIncident }
    const loop = commonCausesLoop({ ...bench, ledger, tell: (event) => told.push(event) })
    await expect(loop.pass(never)).rejects.toThrow('a test')
    expect((await incidents()).map((each) => each.key)).toEqual([key])
    isPoisoned = false
    await loop.pass(never)
    expect((await incidents()).map((each) => each.key)).toContain('never-started on node node-poison')
  })

  it('is not told again while nothing new happens', async () => {
    await fleet()
    await die(node, 9)
    for (let n = 0; n < 30; n += 1) {
      await pass()
      await bench.advance(minuteMs)
    }
    expect(await incidents()).toMatchObject([{ timesSeen: 1, closedAt: null }])
    expect(said('error')).toHaveLength(1)
    expect(said('info')).toEqual([])
  })

  it('is told anew in the same incident when there are more', async () => {
    await fleet()
    await die(node, 4)
    await pass()
    await die(node, 2)
    await pass()
    expect(await incidents()).toMatchObject([{ timesSeen: 2 }])
    expect((await incidents())[0]?.reason).toMatch(/^6 of 6 /)
    expect(said('error')).toHaveLength(1)
    expect(told).toHaveLength(1)
    expect(bench.metrics.counts.get('holdfast_incidents_total{deaths-on-node}')).toBe(1)
  })

  it('is over when there were no more for two hours, and not before', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await bench.advance(1.9 * hourMs)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: null }])
    await bench.advance(0.2 * hourMs)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: expect.any(Number) }])
    expect(said('info').at(-1)?.message).toBe('no more runners ended alike for a while')
    await pass()
    expect(await incidents()).toHaveLength(1)
  })

  it('closes no incident of another kind, however long it lasts', async () => {
    const disk = {
      kind: 'disk-low',
      installation: bench.installation,
      scope: 'runners',
      key: '/data',
    } as const
    await bench.ledger.raiseIncident({ ...disk, reason: '80 MiB free' }, 0)
    await bench.advance(3 * hourMs)
    await die(node)
    await pass()
    expect(await incidents()).toMatchObject([{ kind: 'disk-low', closedAt: null }])
  })

  it('is not over while single ones still come', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    for (let n = 0; n < 4; n += 1) {
      await bench.advance(1.5 * hourMs)
      await die(node)
      await pass()
    }
    expect(await incidents()).toMatchObject([{ closedAt: null }])
  })

  it('is not over while it recurs, though by now the class strikes elsewhere as often', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await bench.advance(1.5 * hourMs)
    for (let n = 0; n < 8; n += 1) await die(`node-${n}`)
    await die(node)
    await pass()
    await bench.advance(hourMs)
    await pass()
    expect((await incidents()).filter((row) => row.key === key)).toMatchObject([
      { timesSeen: 1, closedAt: null },
    ])
    await bench.advance(1.1 * hourMs)
    await pass()
    expect((await incidents()).find((row) => row.key === key)?.closedAt).toEqual(expect.any(Number))
  })

  it('is looked for only when somebody died since the last look', async () => {
    await fleet()
    await die('node-1')
    await pass()
    let asked = 0
    const { list } = bench.host
    bench.host.list = () => {
      asked += 1
      return list()
    }
    await pass()
    expect(asked).toBe(0)
    await die('node-2')
    await pass()
    expect(asked).toBe(1)
  })

  it('opens anew for new ends alone, when a person closed it', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await bench.advance(1_000)
    await die(node) // whoever closes it has read of this one too
    const incident = { kind: 'deaths-on-node', installation: 'sim', scope: 'runners', key } as const
    await bench.ledger.liftIncident(incident)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: expect.any(Number) }])
    await bench.advance(1_000)
    await die(node)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: null, timesSeen: 1 }, { timesSeen: 1 }])
  })

  it('is seen by a process that began later, and not told twice', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await commonCausesLoop({ ...bench, tell: (event) => told.push(event) }).pass(never)
    expect(await incidents()).toMatchObject([{ timesSeen: 1 }])
    expect(told).toHaveLength(1)
  })

  it('shows in a day, where an hour has too few', async () => {
    await fleet()
    for (let n = 0; n < 4; n += 1) {
      await die(node)
      await bench.advance(1.2 * hourMs)
    }
    await die(node)
    await pass()
    expect(await incidents()).toMatchObject([{ key, closedAt: null }])
  })

  it('shows in an hour, where a day has as many elsewhere', async () => {
    await fleet()
    for (let n = 0; n < 20; n += 1) {
      await die(`node-${n % 10}`)
      await bench.advance(hourMs)
    }
    await die(node, 6)
    await pass()
    expect(await incidents()).toMatchObject([{ key, reason: expect.stringMatching(/^6 of 6 /) }])
  })

  it('counts runners that are archived', async () => {
    await fleet()
    await die(node, 6)
    await bench.ledger.archive(0, 100)
    await pass()
    expect(await incidents()).toMatchObject([{ key }])
  })
})

describe('nothing is opened', () => {
  it('for two of a kind, nor for ends all over the fleet', async () => {
    await fleet()
    await die(node, 2)
    for (let n = 0; n < 10; n += 1) {
      await die(`node-${n}`, 1, { class: 'crash' })
      await bench.advance(5 * minuteMs)
    }
    await pass()
    expect(await incidents()).toEqual([])
  })

  it('for a node that has nearly every runner', async () => {
    for (let n = 0; n < 60; n += 1) {
      const { name } = await enrol()
      bench.host.runners.set(name, 'running')
      bench.host.facts.set(name, { node })
    }
    for (let n = 0; n < 6; n += 1) {
      await die(node)
      await bench.advance(8 * minuteMs)
    }
    await pass()
    expect(await incidents()).toEqual([])
  })

  it('for ends that did what they should, and the host is not even asked', async () => {
    await die(node, 9, { class: 'clean' })
    bench.host.list = () => Promise.reject(new Error('nobody asks'))
    await expect(pass()).resolves.toEqual({ kind: 'done' })
  })

  it('where the host cannot be believed: the pass fails and is repeated', async () => {
    await die(node, 9)
    bench.host.list = () => Promise.reject(new Error('not known'))
    await expect(pass()).rejects.toThrow('not known')
    expect(await incidents()).toEqual([])
  })
})
