import { describe, expect, it } from 'vitest'
import {
  type ControlBench,
  cause,
  createControlBench,
  hostId,
  never,
} from '../../test/support/control-bench.ts'
import { heartbeatLoop } from '../controllers/host/heartbeat/index.ts'
import { lifecycleLoop } from '../controllers/runner/lifecycle/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Subject } from '../domain/recovery/index.ts'
import { look, recoveryLoop } from './index.ts'

const minuteMs = 60_000
const gone = 'host-gone'
const handle = '11111111-1111-4111-8111-111111111111'

/** A runner of another machine whose job was delivered. */
async function onAnotherHost(bench: ControlBench): Promise<number> {
  await bench.queue()
  const row = {
    name: 'linux-gone',
    pool: 'linux',
    host: gone,
    identityHash: 'hash',
    bootDeadlineMs: minuteMs,
  }
  const runner = await bench.ledger.enrol(row, cause)
  await bench.ledger.polled(runner.id)
  await bench.ledger.claim(runner, handle, 60 * minuteMs)
  await bench.ledger.minted(handle, 1, bench.vault.seal('jit', handle), 60 * minuteMs)
  await bench.ledger.deliver(handle, 60 * minuteMs)
  return runner.id
}

const beat = (bench: ControlBench) => heartbeatLoop({ ...bench, kind: 'local' }).pass(never)
const openOf = async (bench: ControlBench) =>
  (await bench.ledger.incidents(0)).filter(({ kind }) => kind === 'host-lost')

/** Our own host continues; the other one is silent for this long. */
async function goOn(bench: ControlBench, forMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < forMs; passedMs += minuteMs) {
    await bench.advance(minuteMs)
    await beat(bench)
    const loop = recoveryLoop(bench, 1_000)
    await loop.pass(never)
    await loop.ended?.()
  }
}

describe('a host whose heartbeat never returns', () => {
  it('loses its runners after the deadline: sealed, no longer counted, the job requeued, and reported once', async () => {
    const bench = await createControlBench()
    const runnerId = await onAnotherHost(bench)
    await beat(bench)
    await goOn(bench, 14 * minuteMs)
    expect(bench.ledger.rows.runners.get(runnerId)).toMatchObject({ endedAt: null })
    expect(await openOf(bench)).toEqual([])
    await goOn(bench, 4 * minuteMs)
    expect(bench.ledger.rows.runners.get(runnerId)).toMatchObject({ state: 'ended', reason: 'host-lost' })
    expect(
      [...bench.ledger.rows.evidence.values()].find(({ kind }) => kind === 'runner-death'),
    ).toMatchObject({
      record: { class: 'host-lost', confidence: 'likely', outcome: 'incomplete' },
    })
    expect(bench.ledger.rows.jobs.get(1)).toMatchObject({ state: 'queued' })
    expect((await bench.ledger.counts())[0]?.runners).toMatchObject({ busy: 0, claimed: 0 })
    expect(bench.metrics.counts.get('holdfast_incidents_total{host-lost}')).toBe(1)
    expect(await openOf(bench)).toEqual([])
    expect((await bench.ledger.hosts()).find(({ id }) => id === gone)).toMatchObject({
      endedAt: expect.any(Number),
    })
  })

  it('keeps a runner that the forge still has online', async () => {
    const bench = await createControlBench()
    const runnerId = await onAnotherHost(bench)
    const findRunner = async (_: unknown, name: string) => ({ id: 1, name, online: true, busy: true })
    await beat(bench)
    await goOn({ ...bench, forge: { ...bench.forge, findRunner } }, 30 * minuteMs)
    expect(bench.ledger.rows.runners.get(runnerId)).toMatchObject({ endedAt: null })
    expect(await openOf(bench)).toMatchObject([{ key: gone, closedAt: null }])
  })

  it('is not judged by a process that was down itself', async () => {
    const bench = await createControlBench()
    const runnerId = await onAnotherHost(bench)
    await beat(bench)
    await bench.advance(60 * minuteMs)
    await beat(bench)
    const loop = recoveryLoop(bench, 1_000)
    await loop.pass(never)
    await loop.ended?.()
    expect(bench.ledger.rows.runners.get(runnerId)).toMatchObject({ endedAt: null })
  })

  it('reports its runners itself where its heartbeat returns while one of them waits for its look', async () => {
    const bench = await createControlBench()
    const runnerId = await onAnotherHost(bench)
    await bench.ledger.heartbeat({ id: gone, kind: 'local' })
    await beat(bench)
    // Another machine has a runner that our own host has never had.
    const subject = await bench.ledger.subject({ kind: 'runner', id: runnerId })
    await look(subject as Subject, bench, never)
    expect(bench.ledger.rows.decisions.size).toBe(0)
    expect(bench.ledger.rows.runners.get(runnerId)).toMatchObject({ endedAt: null })
  })

  it('does not take our own runners for lost, however late our heartbeat is', async () => {
    const bench = await createControlBench()
    const runner = await bench.runner()
    await bench.ledger.polled(runner.id)
    bench.host.runners.set(runner.name, 'running')
    await bench.advance(60 * minuteMs)
    const loop = recoveryLoop(bench, 1_000)
    await loop.pass(never)
    await loop.ended?.()
    const rules = [...bench.ledger.rows.decisions.values()].map(({ rule }) => rule)
    expect(rules).not.toContain('host-lost')
    expect(bench.ledger.rows.runners.get(runner.id)).toMatchObject({ endedAt: null })
  })
})

describe('a cluster whose Holdfast never returns', () => {
  /** A pod of the cluster: booting, or idle where it has polled. */
  async function podOf(bench: ControlBench, name: string, hasPolled: boolean): Promise<number> {
    const row = { name, pool: 'linux', host: 'cluster-gone', identityHash: 'hash', bootDeadlineMs: minuteMs }
    const { id } = await bench.ledger.enrol(row, cause)
    await bench.ledger.bindPod(id, `uid of ${name}`)
    if (hasPolled) await bench.ledger.polled(id)
    return id
  }

  /** One busy, one idle, and one that was about to start, in a cluster with one heartbeat. */
  async function lostCluster(bench: ControlBench): Promise<void> {
    await bench.queue()
    const working = await podOf(bench, 'pod-working', true)
    const runner = await bench.ledger.findRunner('pod-working')
    if (runner === null) throw new Error(`there is no runner ${working}`)
    await bench.ledger.claim(runner, handle, 60 * minuteMs)
    await bench.ledger.minted(handle, 1, bench.vault.seal('jit', handle), 60 * minuteMs)
    await bench.ledger.deliver(handle, 60 * minuteMs)
    await podOf(bench, 'pod-idle', true)
    await podOf(bench, 'pod-booting', false)
    await bench.ledger.heartbeat({ id: 'cluster-gone', kind: 'kubernetes' })
    await beat(bench)
  }

  it('loses all its pods, in any state, and no other host is asked about them', async () => {
    const bench = await createControlBench()
    await lostCluster(bench)
    await goOn(bench, 14 * minuteMs)
    expect([...bench.ledger.rows.runners.values()].map(({ endedAt }) => endedAt)).toEqual([null, null, null])
    await goOn(bench, 8 * minuteMs)
    const rows = [...bench.ledger.rows.runners.values()]
    expect(rows.map(({ state, reason }) => [state, reason])).toEqual(Array(3).fill(['ended', 'host-lost']))
    const deaths = [...bench.ledger.rows.evidence.values()].filter(({ kind }) => kind === 'runner-death')
    expect(deaths).toHaveLength(3)
    expect(bench.ledger.rows.jobs.get(1)).toMatchObject({ state: 'queued' })
    expect((await bench.ledger.counts())[0]?.runners).toMatchObject({
      booting: 0,
      polling: 0,
      claimed: 0,
      busy: 0,
    })
    expect(bench.host.calls).toEqual([])
    expect((await bench.ledger.hosts()).find(({ id }) => id === 'cluster-gone')).toMatchObject({
      kind: 'kubernetes',
      liveRunners: 0,
      endedAt: expect.any(Number),
    })
  })

  it('keeps them while the forge cannot be asked, and they still count', async () => {
    const bench = await createControlBench()
    await lostCluster(bench)
    const silence = () =>
      Promise.reject(new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'a test' }))
    const forge = { ...bench.forge, findRunner: silence, readJob: silence }
    await goOn({ ...bench, forge }, 30 * minuteMs)
    expect(await bench.ledger.findRunner('pod-working')).toMatchObject({ endedAt: null })
    expect(await openOf(bench)).toMatchObject([{ key: 'cluster-gone', closedAt: null }])
  })
})

describe('a host that returns after its runners were given up', () => {
  it('stops no runner that may have a job, seals no second record, and removes what has ended', async () => {
    const bench = await createControlBench()
    await onAnotherHost(bench)
    await beat(bench)
    await goOn(bench, 18 * minuteMs)
    const deaths = () =>
      [...bench.ledger.rows.evidence.values()].filter(({ kind }) => kind === 'runner-death')
    expect(deaths()).toHaveLength(1)
    // The same bench from the view of the machine that is back: its process continued.
    const back = {
      ...bench,
      host: Object.assign(bench.host, { id: gone }),
      resyncEveryMs: 2_000,
      recordEvent: () => {},
    }
    bench.host.runners.set('linux-gone', 'running')
    await heartbeatLoop({ ...back, kind: 'local' }).pass(never)
    const lifecycle = lifecycleLoop(back)
    await lifecycle.pass(never)
    await bench.advance(10 * minuteMs)
    await lifecycle.pass(never)
    expect(bench.host.calls.filter((call) => call.startsWith('stop'))).toEqual([])
    bench.host.runners.set('linux-gone', 'exited')
    bench.host.change('linux-gone')
    await bench.advance(10_000)
    await lifecycle.pass(never)
    await lifecycle.ended?.()
    expect(deaths()).toHaveLength(1)
    expect(bench.host.calls).toContain('release linux-gone')
    expect(hostId).not.toBe(gone)
  })

  it('is reported although another one cannot be, which is retried; and our own heartbeat is written all the same', async () => {
    const bench = await createControlBench()
    for (const host of ['host-poison', gone]) {
      const row = {
        name: `linux-${host}`,
        pool: 'linux',
        host,
        identityHash: 'hash',
        bootDeadlineMs: 60 * minuteMs,
      }
      await bench.ledger.enrol(row, cause)
      await bench.ledger.heartbeat({ id: host, kind: 'local' })
    }
    for (let n = 0; n < 16; n += 1) {
      await bench.ledger.heartbeat({ id: hostId, kind: 'local' })
      await bench.advance(minuteMs)
    }
    let ended = 0
    const ledger: typeof bench.ledger = {
      ...bench.ledger,
      raiseIncident: (incident, holdMs) =>
        incident.key === 'host-poison'
          ? Promise.reject(new Error('a test'))
          : bench.ledger.raiseIncident(incident, holdMs),
      endLostHosts: () => {
        ended += 1
        return bench.ledger.endLostHosts()
      },
    }
    await expect(beat({ ...bench, ledger })).rejects.toThrow('a test')
    expect((await openOf(bench)).map(({ key }) => key)).toEqual([gone])
    expect(ended).toBe(1)
    await beat(bench)
    expect((await openOf(bench)).map(({ key }) => key).toSorted()).toEqual([gone, 'host-poison'])
  })
})
