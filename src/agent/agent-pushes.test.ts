import { describe, expect, it } from 'vitest'
import { agentBench, startAt } from './testing/bench.ts'
import { podUidAt } from './testing/imitation.ts'

const uid = podUidAt(1)

describe('pushing', () => {
  it('is retried with back-off until it arrives, each ring once', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    for (const _ of [1, 2, 3]) bench.push.answers.push({ kind: 'failed', why: 'away', retryAfterMs: null })
    const agent = bench.start()
    bench.removePod(uid)
    await bench.seconds(1)
    expect(agent.status()).toMatchObject({ waiting: 1, failingSince: startAt + 1_000 })
    await bench.seconds(60)
    expect(bench.push.tries).toHaveLength(4)
    expect(agent.status()).toMatchObject({ waiting: 0, failingSince: null })
    expect(bench.rings.texts.size).toBe(0)
    bench.stop()
  })

  it('goes on with other rings where one cannot be sent, and puts that one last', async () => {
    const bench = await agentBench()
    const uids = [podUidAt(1), podUidAt(2), podUidAt(3)]
    for (const each of uids) bench.pod(each)
    const { push } = bench.push
    const isPoisoned = { now: true }
    bench.push.push = async (ring) => {
      if (isPoisoned.now && ring.podUid === uids[0]) throw new Error('a test')
      return push.call(bench.push, ring)
    }
    const agent = bench.start()
    for (const each of uids) bench.removePod(each)
    await bench.seconds(10)
    expect(new Set(bench.push.tries.map(({ podUid }) => podUid))).toEqual(new Set(uids.slice(1)))
    expect(agent.status().waiting).toBe(1)
    isPoisoned.now = false
    await bench.seconds(10)
    expect(agent.status().waiting).toBe(0)
    bench.stop()
  })

  it('ends for a ring that the server refuses', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.push.answers.push({ kind: 'refused', why: 'another node has it' })
    const agent = bench.start()
    bench.removePod(uid)
    await bench.seconds(10)
    expect(bench.push.tries).toHaveLength(1)
    expect(agent.status().waiting).toBe(0)
    expect(bench.log.at('warn')).toEqual(['the server refused a ring'])
    bench.stop()
  })

  it('keeps no more than 500 ended rings, and counts those that it dropped', async () => {
    const bench = await agentBench()
    const uids = Array.from({ length: 503 }, (_, index) => podUidAt(index))
    for (const each of uids) bench.pod(each)
    for (let n = 0; n < 1_000; n += 1)
      bench.push.answers.push({ kind: 'failed', why: 'away', retryAfterMs: null })
    const agent = bench.start()
    for (const each of uids) bench.removePod(each)
    await bench.seconds(1)
    expect(agent.status()).toMatchObject({ pods: 0, waiting: 500, dropped: 3 })
    expect(bench.rings.texts.size).toBe(500)
    expect(bench.rings.texts.has(uids[0] as string)).toBe(false)
    bench.stop()
  })

  it('is limited to once in five seconds for a pod that is killed again and again', async () => {
    const bench = await agentBench()
    bench.start()
    for (let kills = 0; kills < 20; kills += 1) {
      bench.pod(uid, { containerOomKills: kills })
      await bench.seconds(1)
    }
    expect(bench.push.tries).toHaveLength(4)
    bench.stop()
  })
})

describe('a live pod without changes', () => {
  it('is pushed each minute in outline, so that evidence survives the loss of its node', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.start()
    await bench.seconds(29)
    expect(bench.push.tries).toEqual([])
    await bench.seconds(1 + 4 * 60)
    const ats = bench.push.tries.map(({ samples }) => samples.map(({ at }) => (at - startAt) / 1_000))
    expect(ats.map((each) => each.at(-1))).toEqual([30, 90, 150, 210, 270])
    expect(ats[0]).toEqual([0, 10, 20, 30])
    expect(ats.at(-1)).toHaveLength(12)
    expect(ats.at(-1)?.[0]).toBeGreaterThanOrEqual(270 - 130)
    expect(bench.push.tries.at(-1)).toMatchObject({ endedAt: null, lastSampleAgeMs: 0 })
    expect(JSON.stringify(bench.push.tries.at(-1)).length).toBeLessThan(6_000)
    bench.stop()
  })

  it('is pushed at another time than the others that were found with it', async () => {
    let found = 0
    const bench = await agentBench(undefined, undefined, () => found++ / 10)
    for (let index = 0; index < 10; index += 1) bench.pod(podUidAt(index))
    bench.start()
    await bench.seconds(60)
    const ats = bench.push.tries.map(({ samples }) => ((samples.at(-1)?.at ?? 0) - startAt) / 1_000)
    expect(ats).toEqual([30, 33, 36, 39, 42, 45, 48, 51, 54, 57])
    bench.stop()
  })

  it('is pushed in full after a change, until that arrived', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.start()
    await bench.seconds(25)
    bench.push.answers.push({ kind: 'failed', why: 'away', retryAfterMs: null })
    bench.pod(uid, { containerOomKills: 1 })
    await bench.seconds(5)
    expect(bench.push.tries.map(({ samples }) => samples.length)).toEqual([27, 27])
    await bench.seconds(60)
    expect(bench.push.tries.at(-1)?.samples.length).toBeLessThan(13)
    bench.stop()
  })

  it('is not pushed again where the server refused it, except after a change', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.push.answers.push({ kind: 'refused', why: 'another node has it' })
    bench.start()
    await bench.seconds(300)
    expect(bench.push.tries).toHaveLength(1)
    bench.pod(uid, { containerOomKills: 1 })
    await bench.seconds(1)
    expect(bench.push.tries).toHaveLength(2)
    bench.stop()
  })
})

describe('bounds', () => {
  it('keep a ring and its file small however long the pod lives', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.start()
    await bench.seconds(3_000)
    expect(bench.rings.texts.get(uid)?.split('\n').length).toBeLessThan(370)
    bench.removePod(uid)
    await bench.seconds(1)
    const samples = bench.push.tries.at(-1)?.samples ?? []
    expect(samples).toHaveLength(120)
    const ages = samples.map(({ at }) => (startAt + 3_000_000 - at) / 1_000)
    expect(ages.slice(-60)).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index))
    expect(ages[0]).toBeGreaterThanOrEqual(640)
    bench.stop()
  })

  it('close every file of a pod that ended', async () => {
    const bench = await agentBench()
    bench.start()
    const before = bench.files.opened
    bench.pod(uid)
    await bench.seconds(1)
    expect(bench.files.opened).toBeGreaterThan(before)
    bench.removePod(uid)
    await bench.seconds(1)
    expect(bench.files.opened).toBe(before)
    bench.stop()
  })
})
