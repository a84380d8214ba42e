import { expect, it } from 'vitest'
import type { HostSample, HostSamples } from '../../../src/domain/death/index.ts'
import { aPodEnd } from '../../../src/domain/death/testing.ts'
import { cause, death, farMs, type MakeLedger, topic } from './kit.ts'

const nothing: Omit<HostSample, 'at'> = {
  memoryBytes: null,
  memoryLimitBytes: null,
  oomKills: null,
  cpuMs: null,
  throttledMs: null,
  processes: null,
  memoryPressure: null,
  cpuPressure: 1.5,
  ioPressure: null,
  nodeMemoryFreeBytes: 9,
  nodeFilesOpen: null,
  nodeFilesMax: null,
  nodeDiskFreeBytes: null,
  nodeInodesFree: null,
  nodeConntrack: null,
  nodeConntrackMax: null,
}

/** Samples that agents took of pods from outside. */
export function hostSamples(make: MakeLedger): void {
  topic('host rings', make, (bench) => {
    const ringOf = (podUid: string, until: number, over: Partial<HostSamples> = {}): HostSamples => ({
      podUid,
      node: 'node-1',
      oomLines: [],
      endedAt: null,
      lastSampleAgeMs: 5,
      missing: [],
      samples: [{ at: until, ...nothing }],
      ...over,
    })
    const put = (...of: Parameters<typeof ringOf>) => bench().ledger.putHostSamples(ringOf(...of))
    const read = (podUid: string, node: string | null = null) => bench().ledger.hostSamples({ podUid, node })
    const drop = (over: { olderThanMs?: number; strangersMax?: number; limit?: number }) =>
      bench().ledger.dropHostSamples({ olderThanMs: farMs, strangersMax: 100, limit: 100, ...over })

    it('are kept as they came, one for each pod', async () => {
      const ring = ringOf('a', 1_000, {
        oomLines: [{ at: 900, line: 'oom-kill:\u0000 \ud800' }],
        missing: ['the kernel log'],
      })
      expect(await bench().ledger.putHostSamples(ring)).toBe('kept')
      expect(await put('b', 5)).toBe('kept')
      const kept = { ...ring, oomLines: [{ at: 900, line: expect.stringMatching(/^oom-kill:/) }] }
      expect(await read('a')).toEqual(kept)
      expect(await read('c')).toBeNull()
    })

    it('are replaced by newer ones, and by the same again', async () => {
      await put('a', 1_000)
      expect(await put('a', 1_000)).toBe('kept')
      expect(await put('a', 2_000, { endedAt: 2_500 })).toBe('kept')
      expect(await put('a', 2_000, { endedAt: 2_500, missing: ['again'] })).toBe('kept')
      expect(await read('a')).toMatchObject({ endedAt: 2_500, missing: ['again'] })
    })

    it('are not replaced by one that reaches less far', async () => {
      await put('a', 2_000)
      expect(await put('a', 1_999)).toBe('older')
      expect((await read('a'))?.samples[0]?.at).toBe(2_000)
    })

    it('are not without their end again, however late a ring without it comes', async () => {
      await put('a', 2_000, { endedAt: 2_500 })
      expect(await put('a', 9_000)).toBe('older')
      expect(await read('a')).toMatchObject({ endedAt: 2_500 })
    })

    it('reach as far as what the kernel wrote', async () => {
      await put('a', 2_000, { oomLines: [{ at: 3_000, line: 'oom-kill:' }] })
      expect(await put('a', 2_500)).toBe('older')
    })

    it('are kept for each node that reports a pod, and read by the node on which it is, in any order of arrival', async () => {
      expect(await put('a', 5_000, { node: 'liar', endedAt: 5_000 })).toBe('kept')
      expect(await put('a', 1_000)).toBe('kept')
      expect(await read('a', 'node-1')).toMatchObject({ node: 'node-1', endedAt: null })
      expect(await read('a', 'node-3')).toBeNull()
    })

    it('are not used where the node is not known and two nodes report the pod', async () => {
      await put('a', 1_000)
      expect(await read('a')).toMatchObject({ node: 'node-1' })
      await put('a', 1_000, { node: 'node-2' })
      expect(await read('a')).toBeNull()
    })

    it('give the newest sample of each node, of whatever pod, and of no node that has been silent', async () => {
      const within = { pushedWithinMs: farMs, limit: 10 }
      const open = (at: number, nodeFilesOpen: number) => ({ samples: [{ at, ...nothing, nodeFilesOpen }] })
      await put('a', 1_000, open(1_000, 7))
      await put('b', 3_000, open(3_000, 9))
      await put('c', 2_000, { node: 'node-2', ...open(2_000, 8) })
      const found = await bench().ledger.nodeSamples(within)
      expect(found.map(({ node, sample }) => [node, sample.at, sample.nodeFilesOpen])).toEqual([
        ['node-1', 3_000, 9],
        ['node-2', 2_000, 8],
      ])
      expect(await bench().ledger.nodeSamples({ ...within, limit: 1 })).toHaveLength(1)
      expect(await bench().ledger.nodeSamples({ ...within, pushedWithinMs: 0 })).toEqual([])
    })

    it('of pods that are no runners are kept up to a bound, the newest', async () => {
      for (const uid of ['a', 'b', 'c', 'd']) await put(uid, 1_000)
      expect(await drop({ strangersMax: 2 })).toBe(2)
      expect(await Promise.all(['a', 'b', 'c', 'd'].map((uid) => read(uid)))).toMatchObject([
        null,
        null,
        {},
        {},
      ])
      expect(await drop({ strangersMax: 2 })).toBe(0)
    })

    it('of runners are no strangers: by the pod of their death, by their name, and once they are archived', async () => {
      const [pod, local] = [await bench().idleRunner(), await bench().idleRunner()]
      await put('pod-uid', 1_000)
      await put(local.name, 1_000)
      await put('another', 1_000)
      const place = { namespace: 'ci', pod: pod.name, uid: 'pod-uid', node: 'node-1' }
      await bench().ledger.sealDeath(pod.id, death({ pod: aPodEnd({ place }) }), 'gone', cause)
      expect(await drop({ strangersMax: 0 })).toBe(1)
      await bench().ledger.archive(0, 10)
      expect(await drop({ strangersMax: 0 })).toBe(0)
      expect(await read('pod-uid')).not.toBeNull()
      expect(await read(local.name)).not.toBeNull()
    })

    it('of a runner that lives are no strangers, by the UID of its pod: its node may be silent for long', async () => {
      const runner = await bench().idleRunner()
      await put('pod-uid', 1_000)
      await put('another', 1_000)
      await bench().ledger.bindPod(runner.id, 'pod-uid')
      expect(await drop({ strangersMax: 0 })).toBe(1)
      expect(await read('pod-uid')).not.toBeNull()
    })

    it('go when they are history, no more than the limit at once', async () => {
      const local = await bench().idleRunner()
      for (const uid of ['a', 'b', local.name]) await put(uid, 1_000)
      expect(await drop({})).toBe(0)
      expect(await drop({ olderThanMs: 0, limit: 2 })).toBe(2)
      expect(await drop({ olderThanMs: 0, limit: 2 })).toBe(1)
      expect(await read(local.name)).toBeNull()
    })
  })
}
