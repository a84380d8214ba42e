import { describe, expect, it } from 'vitest'
import { agentBench, startAt } from './testing/bench.ts'
import { FakeRingFiles } from './testing/fakes.ts'
import { containerGroup, podGroup, podUidAt } from './testing/imitation.ts'
import { oomLine } from './testing/oom-line.ts'

const uid = podUidAt(1)
const other = podUidAt(2)
const imitations = [
  { version: 1, driver: 'cgroupfs' },
  { version: 1, driver: 'systemd' },
  { version: 2, driver: 'cgroupfs' },
  { version: 2, driver: 'systemd' },
] as const

describe.each(imitations)('an agent on version $version with the $driver driver', (of) => {
  it('samples a pod each second, and pushes its ring when its group is gone', async () => {
    const bench = await agentBench(of)
    bench.pod(uid, {
      memoryBytes: 5_000,
      droppableBytes: 700,
      cpuUs: 9_000_000,
      throttledUs: 4_000,
      containerThrottledUs: 3_000,
      pids: 12,
      pidsMax: '900',
      containerPidsMax: '300',
    })
    bench.start()
    await bench.seconds(2)
    bench.removePod(uid)
    await bench.seconds(1)
    expect(bench.push.tries).toHaveLength(1)
    const [ring] = bench.push.tries
    const pressure = of.version === 2 ? 1.5 : null
    expect(ring).toMatchObject({ podUid: uid, node: 'node-1', oomLines: [], endedAt: startAt + 3_000 })
    expect(ring?.lastSampleAgeMs).toBe(1_000)
    expect(ring?.samples.map(({ at }) => at - startAt)).toEqual([0, 1_000, 2_000])
    expect(ring?.samples[0]).toEqual({
      at: startAt,
      memoryBytes: 5_000,
      memoryLimitBytes: 64_000_000,
      oomKills: 0,
      cpuMs: 9_000,
      throttledMs: 7,
      processes: 12,
      processesMax: 300,
      forksRefused: 0,
      memoryPressure: pressure,
      cpuPressure: pressure,
      ioPressure: pressure,
      nodeMemoryFreeBytes: 512_000,
      nodeFilesOpen: 1_024,
      nodeFilesMax: 9_223_372,
      nodeDiskFreeBytes: 5_000,
      nodeInodesFree: 60,
      nodeConntrack: 7,
      nodeConntrackMax: 262_144,
    })
    expect(ring?.missing).toEqual(
      of.version === 1 ? ['pressure of a group: version 1 of cgroups has none'] : [],
    )
    bench.stop()
  })

  it('pushes the ring of a live pod when one of its processes was killed at a limit', async () => {
    const bench = await agentBench(of)
    bench.pod(uid)
    bench.pod(other)
    bench.start()
    await bench.seconds(1)
    expect(bench.push.tries).toEqual([])
    bench.pod(uid, { containerOomKills: 1 })
    await bench.seconds(1)
    expect(bench.push.tries.map(({ podUid, endedAt }) => [podUid, endedAt])).toEqual([[uid, null]])
    expect(bench.push.tries[0]?.samples.at(-1)?.oomKills).toBe(1)
    bench.stop()
  })

  it('has the kernel’s line about a kill in the ring of its pod, and in no other', async () => {
    const bench = await agentBench(of)
    bench.pod(uid)
    bench.pod(other)
    bench.start()
    const line = oomLine(containerGroup(of, uid), podGroup(of, uid))
    bench.kernel(line)
    bench.kernel('Memory cgroup out of memory: Killed process 7 (node) total-vm:1kB, anon-rss:1kB')
    await bench.seconds(1)
    bench.removePod(other)
    await bench.seconds(1)
    expect(bench.push.tries.map(({ podUid, oomLines }) => [podUid, oomLines.map((one) => one.line)])).toEqual(
      [
        [uid, [line]],
        [other, []],
      ],
    )
    bench.stop()
  })
})

describe('refused processes', () => {
  it.each([
    ['of a container, where the kernel counts in the group of the caller', 1, { containerRefused: 3 }, 3],
    ['of a container, which the pod’s group counts as well', 2, { refused: 3, containerRefused: 3 }, 3],
    ['of the pod, which is at its own limit', 2, { refused: 5, containerRefused: 3 }, 5],
  ] as const)('are counted once: those %s', async (_, version, use, counted) => {
    const bench = await agentBench({ version, driver: 'cgroupfs' })
    bench.pod(uid)
    bench.start()
    await bench.seconds(1)
    bench.pod(uid, use)
    await bench.seconds(1)
    bench.removePod(uid)
    await bench.seconds(1)
    expect(bench.push.tries[0]?.samples.map(({ forksRefused }) => forksRefused)).toEqual([0, 0, counted])
    bench.stop()
  })

  it('are unknown where the controller is absent, and in the file of an older agent', async () => {
    const rings = new FakeRingFiles()
    const olderFields = [startAt - 1_000, 1, 2, 0, 3, 4, 5, ...Array.from({ length: 10 }, () => '-')]
    rings.append(uid, `s ${olderFields.join(' ')}\ns ${olderFields.slice(0, 16).join(' ')}\n`)
    const of = { version: 1, driver: 'cgroupfs' } as const
    const bench = await agentBench(of, rings)
    bench.pod(uid)
    bench.files.removeFolder(`cgroup/pids/${podGroup(of, uid)}`)
    bench.start()
    bench.removePod(uid)
    await bench.seconds(1)
    const samples = bench.push.tries[0]?.samples
    expect(samples?.map(({ at, cpuMs }) => [at - startAt, cpuMs])).toEqual([
      [-1_000, 3],
      [0, 0],
    ])
    for (const sample of samples ?? [])
      expect(sample).toMatchObject({ forksRefused: null, processesMax: null })
    bench.stop()
  })
})

describe('the count of kills in version 1', () => {
  it('keeps the count of a container whose group is gone', async () => {
    const of = { version: 1, driver: 'cgroupfs' } as const
    const bench = await agentBench(of)
    bench.pod(uid, { containerOomKills: 2, oomKills: 1 })
    bench.start()
    await bench.seconds(1)
    bench.files.removeFolder(`cgroup/memory/${containerGroup(of, uid)}`)
    await bench.seconds(10)
    expect(bench.push.tries.at(-1)?.samples.at(-1)?.oomKills).toBe(3)
    bench.stop()
  })

  it.each([
    [1, 'lines of the kernel: EPERM', [null, null]],
    [1, null, [0, 0]],
    [2, 'lines of the kernel: EPERM', [0, 0]],
  ] as const)(
    'is no proof of none without the kernel’s log: version %i, %s',
    async (version, missing, counts) => {
      const bench = await agentBench({ version, driver: 'cgroupfs' })
      bench.kernelLog.missing = missing
      bench.pod(uid)
      bench.start()
      await bench.seconds(1)
      bench.removePod(uid)
      await bench.seconds(1)
      const [ring] = bench.push.tries
      expect(ring?.samples.map(({ oomKills }) => oomKills)).toEqual(counts)
      const isReported = ring?.missing.includes(
        'whether nothing was killed for memory: version 1 forgets its counts',
      )
      expect(isReported).toBe(counts[0] === null)
      bench.stop()
    },
  )
})

describe('version 2 next to version 1', () => {
  it('has the pressure that version 1 lacks', async () => {
    const of = { version: 1, driver: 'cgroupfs' } as const
    const bench = await agentBench(of)
    const some = (share: string) => `some avg10=${share} avg60=0.00 avg300=0.00 total=1\n`
    const group = `cgroup/unified/${podGroup(of, uid)}`
    bench.files.put({
      'cgroup/unified/cgroup.controllers': 'hugetlb\n',
      [`${group}/memory.pressure`]: some('1.00'),
      [`${group}/cpu.pressure`]: some('97.50'),
      [`${group}/io.pressure`]: some('3.00'),
    })
    bench.pod(uid)
    const agent = bench.start()
    bench.removePod(uid)
    await bench.seconds(1)
    const pressures = { memoryPressure: 1, cpuPressure: 97.5, ioPressure: 3 }
    expect(bench.push.tries[0]?.samples[0]).toMatchObject({ ...pressures, memoryBytes: 1_000_000 })
    expect(agent.status().missing).toEqual([])
    bench.stop()
  })
})

describe('Kata', () => {
  it('counts its hypervisors separately where so configured, which is reported', async () => {
    const bench = await agentBench()
    bench.files.put({ 'cgroup/kata_overhead/sandbox/memory.current': '1\n' })
    const agent = bench.start()
    expect(agent.status().missing).toEqual([expect.stringContaining('kata_overhead')])
    bench.stop()
  })
})

describe('an agent that cannot list groups', () => {
  it('concludes no end of a pod', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    const agent = bench.start()
    bench.files.unlistable.add('/cgroup')
    await bench.seconds(30)
    expect(bench.push.tries).toEqual([])
    expect(agent.status()).toMatchObject({ pods: 1 })
    expect(agent.status().lastSampleAgeMs).toBeGreaterThan(15_000)
    bench.stop()
  })
})

describe('local runners', () => {
  it('are watched by their names', async () => {
    const of = { version: 1, driver: 'cgroupfs' } as const
    const bench = await agentBench(of)
    const base = `cgroup/memory/system.slice/holdfast-${'0a'.repeat(6)}`
    bench.files.put({ [`${base}/linux-1/memory.usage_in_bytes`]: '77\n' })
    bench.start()
    bench.kernel(oomLine(`system.slice/holdfast-${'0a'.repeat(6)}/linux-1/pod${uid}`))
    await bench.seconds(1)
    bench.files.removeFolder(`${base}/linux-1`)
    bench.files.put({ [`${base}/linux-2/memory.usage_in_bytes`]: '77\n' })
    await bench.seconds(1)
    expect(bench.push.tries.at(-1)).toMatchObject({
      podUid: 'linux-1',
      endedAt: startAt + 2_000,
      oomLines: [{}],
    })
    expect(bench.push.tries.at(-1)?.samples[0]?.memoryBytes).toBe(77)
    bench.stop()
  })
})

describe('an agent that was killed', () => {
  it('goes on with the ring of a live pod, and reports the gap', async () => {
    const first = await agentBench()
    first.pod(uid)
    first.start()
    await first.seconds(3)
    first.stop()
    const second = await agentBench(first.of, first.rings)
    second.pod(uid)
    await second.seconds(60)
    second.start()
    await second.seconds(1)
    second.removePod(uid)
    await second.seconds(1)
    const [ring] = second.push.tries
    expect(ring?.samples.map(({ at }) => (at - startAt) / 1_000)).toEqual([0, 1, 2, 3, 60, 61])
    expect(ring?.missing).toEqual([
      'samples from 2026-01-02T03:04:08.000Z to 2026-01-02T03:05:05.000Z: the agent did not run',
    ])
    second.stop()
  })

  it('finds the end of a pod that ended meanwhile, and reports the gap', async () => {
    const first = await agentBench()
    first.pod(uid)
    first.start()
    await first.seconds(3)
    first.stop()
    const second = await agentBench(first.of, first.rings)
    await second.seconds(60)
    second.start()
    await second.seconds(1)
    expect(second.push.tries).toMatchObject([
      { podUid: uid, endedAt: startAt + 60_000, lastSampleAgeMs: 57_000 },
    ])
    expect(second.push.tries[0]?.missing[0]).toContain('until its end: the agent did not run')
    second.stop()
  })

  it('pushes rings that it could not push before, and stops once they arrived', async () => {
    const first = await agentBench()
    first.pod(uid)
    first.push.answers.push({ kind: 'failed', why: 'away', retryAfterMs: 60_000 })
    first.start()
    first.removePod(uid)
    await first.seconds(2)
    first.stop()
    const second = await agentBench(first.of, first.rings)
    second.start()
    await second.seconds(1)
    expect(second.push.tries).toMatchObject([{ podUid: uid, endedAt: startAt + 1_000 }])
    second.stop()
    expect(first.rings.texts.size).toBe(0)
  })

  it('in the middle of a write loses that line alone', async () => {
    const rings = new FakeRingFiles()
    const first = await agentBench(undefined, rings)
    first.pod(uid)
    first.start()
    await first.seconds(1)
    first.stop()
    rings.texts.set(uid, (rings.texts.get(uid) ?? '').slice(0, -5))
    const second = await agentBench(first.of, rings)
    second.start()
    await second.seconds(1)
    expect(second.push.tries[0]?.samples).toHaveLength(1)
    second.stop()
  })
})
