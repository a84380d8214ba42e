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
let events: FleetEvent[]
let pass: () => Promise<unknown>
beforeEach(async () => {
  bench = await createControlBench()
  events = []
  const loop = commonCausesLoop({ ...bench, recordEvent: (event) => events.push(event) })
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
const logged = (level: string) => bench.log.lines.filter((line) => line.level === level)

describe('a common cause of deaths', () => {
  it('opens an incident with its text, reported once in the log, in the metrics and on the pool', async () => {
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
    expect(logged('error')).toMatchObject([{ fields: { incident: 'deaths-on-node', cause: key } }])
    expect(events).toMatchObject([{ about: { kind: 'pool', name: 'linux' }, reason: 'DeathsAlike' }])
  })

  it('is reported although another one cannot be recorded, which is retried', async () => {
    await fleet()
    await die('node-poison', 9)
    await die(node, 9)
    let isPoisoned = true
    const raiseIncident: typeof bench.ledger.raiseIncident = (incident, holdMs) =>
      isPoisoned && incident.key.includes('node-poison')
        ? Promise.reject(new Error('a test'))
        : bench.ledger.raiseIncident(incident, holdMs)
    const ledger = { ...bench.ledger, raiseIncident }
    const loop = commonCausesLoop({ ...bench, ledger, recordEvent: (event) => events.push(event) })
    await expect(loop.pass(never)).rejects.toThrow('a test')
    expect((await incidents()).map((each) => each.key)).toEqual([key])
    isPoisoned = false
    await loop.pass(never)
    expect((await incidents()).map((each) => each.key)).toContain('never-started on node node-poison')
  })

  it('is not reported again while there are no new deaths', async () => {
    await fleet()
    await die(node, 9)
    for (let n = 0; n < 30; n += 1) {
      await pass()
      await bench.advance(minuteMs)
    }
    expect(await incidents()).toMatchObject([{ timesSeen: 1, closedAt: null }])
    expect(logged('error')).toHaveLength(1)
    expect(logged('info')).toEqual([])
  })

  it('is updated in the same incident when there are more deaths', async () => {
    await fleet()
    await die(node, 4)
    await pass()
    await die(node, 2)
    await pass()
    expect(await incidents()).toMatchObject([{ timesSeen: 2 }])
    expect((await incidents())[0]?.reason).toMatch(/^6 of 6 /)
    expect(logged('error')).toHaveLength(1)
    expect(events).toHaveLength(1)
    expect(bench.metrics.counts.get('holdfast_incidents_total{deaths-on-node}')).toBe(1)
  })

  it('is closed after two hours without such a death, and not before', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await bench.advance(1.9 * hourMs)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: null }])
    await bench.advance(0.2 * hourMs)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: expect.any(Number) }])
    expect(logged('info').at(-1)?.message).toBe('no more runners ended alike for a while')
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

  it('stays open while single deaths still happen', async () => {
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

  it('stays open while it recurs, even where the class has become as frequent elsewhere', async () => {
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

  it('is computed only after a death since the last pass', async () => {
    await fleet()
    await die('node-1')
    await pass()
    let reads = 0
    const { list } = bench.host
    bench.host.list = () => {
      reads += 1
      return list()
    }
    await pass()
    expect(reads).toBe(0)
    await die('node-2')
    await pass()
    expect(reads).toBe(1)
  })

  it('is opened again only for new deaths after a person closed it', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await bench.advance(1_000)
    await die(node) // the person who closes it has read of this one too
    const incident = { kind: 'deaths-on-node', installation: 'sim', scope: 'runners', key } as const
    await bench.ledger.liftIncident(incident)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: expect.any(Number) }])
    await bench.advance(1_000)
    await die(node)
    await pass()
    expect(await incidents()).toMatchObject([{ closedAt: null, timesSeen: 1 }, { timesSeen: 1 }])
  })

  it('is known to a process that starts later, and not reported twice', async () => {
    await fleet()
    await die(node, 5)
    await pass()
    await commonCausesLoop({ ...bench, recordEvent: (event) => events.push(event) }).pass(never)
    expect(await incidents()).toMatchObject([{ timesSeen: 1 }])
    expect(events).toHaveLength(1)
  })

  it('is found in a day where an hour has too few deaths', async () => {
    await fleet()
    for (let n = 0; n < 4; n += 1) {
      await die(node)
      await bench.advance(1.2 * hourMs)
    }
    await die(node)
    await pass()
    expect(await incidents()).toMatchObject([{ key, closedAt: null }])
  })

  it('is found in an hour where a day has as many deaths elsewhere', async () => {
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

describe('no incident is opened', () => {
  it('for two deaths of a kind, nor for deaths all over the fleet', async () => {
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

  it('for expected ends, and the host is not even listed', async () => {
    await die(node, 9, { class: 'clean' })
    bench.host.list = () => Promise.reject(new Error('nobody asks'))
    await expect(pass()).resolves.toEqual({ kind: 'done' })
  })

  it('where the host’s list is not fresh: the pass fails and is repeated', async () => {
    await die(node, 9)
    bench.host.list = () => Promise.reject(new Error('not known'))
    await expect(pass()).rejects.toThrow('not known')
    expect(await incidents()).toEqual([])
  })
})
