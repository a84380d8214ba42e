import { describe, expect, it } from 'vitest'
import { agentBench, startAt } from './testing/bench.ts'
import { containerGroup, podUidAt } from './testing/imitation.ts'
import { oomLine } from './testing/oom-line.ts'

const uid = podUidAt(1)
const other = podUidAt(2)

describe('a line that a job can write', () => {
  it('is not taken for the kernel’s: its facility differs', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.start()
    bench.kernel(oomLine(containerGroup(bench.of, uid)), 1)
    await bench.seconds(1)
    expect(bench.push.tries).toEqual([])
    bench.stop()
  })

  it.each([
    [
      'task',
      (victim: string, own: string) => oomLine(own, own, `a,oom_memcg=/${victim},task_memcg=/${victim}`),
    ],
    ['own group', (victim: string, own: string) => oomLine(own, `${own}/x,task_memcg=/${victim}`)],
    [
      'cpuset',
      (victim: string, own: string) =>
        oomLine(own).replace('cpuset=x', `cpuset=x,oom_memcg=${victim.replaceAll('/', '')}`),
    ],
    [
      'group where the node is out of memory',
      (victim: string, own: string) =>
        oomLine(`${own}/x,oom_memcg=/${victim}`).replace(/oom_memcg=[^,]*,oom_memcg=[^,]*,/, 'global_oom,'),
    ],
    ['group below its own', (_: string, own: string) => oomLine(`${own}/pod${other}`)],
  ])('as the name of its %s does not put a kill on another pod', async (_, lineOf) => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.pod(other)
    bench.start()
    bench.kernel(lineOf(containerGroup(bench.of, other), containerGroup(bench.of, uid)))
    await bench.seconds(1)
    expect(bench.push.tries.map(({ podUid }) => podUid)).toEqual([uid])
    bench.stop()
  })
})

describe('the kernel’s lines', () => {
  it('about a pod that came and went between two ticks make a ring without samples', async () => {
    const bench = await agentBench()
    bench.start()
    bench.kernel(oomLine(containerGroup(bench.of, uid)))
    await bench.seconds(1)
    expect(bench.push.tries).toMatchObject([
      { podUid: uid, samples: [], lastSampleAgeMs: null, endedAt: startAt + 1_000, oomLines: [{}] },
    ])
    bench.stop()
  })

  it('from before the agent’s start make none, and are kept where the pod is known', async () => {
    const bench = await agentBench()
    bench.pod(other)
    bench.start()
    await bench.seconds(1)
    bench.kernel(oomLine(containerGroup(bench.of, uid)), 0, 100)
    bench.kernel(oomLine(containerGroup(bench.of, other)), 0, 100)
    await bench.seconds(1)
    expect(bench.push.tries.map(({ podUid }) => podUid)).toEqual([other])
    expect(bench.push.tries[0]?.oomLines[0]?.at).toBe(startAt + 2_000 - 900_000)
    bench.stop()
  })

  it('that come after the end of a pod are pushed after it', async () => {
    const bench = await agentBench()
    bench.pod(uid)
    bench.start()
    bench.removePod(uid)
    await bench.seconds(1)
    bench.kernel(oomLine(containerGroup(bench.of, uid)))
    await bench.seconds(1)
    expect(bench.push.tries.map(({ oomLines, endedAt }) => [oomLines.length, endedAt])).toEqual([
      [0, startAt + 1_000],
      [1, startAt + 1_000],
    ])
    bench.stop()
  })

  it('about groups of another node on the same kernel are ignored', async () => {
    const bench = await agentBench(undefined, undefined, undefined, '/nodes/one')
    bench.files.put({ 'cgroup/nodes/one/kubepods/cgroup.procs': '' })
    bench.start()
    const line = (node: string, pod: string) => oomLine(`nodes/${node}/kubepods/pod${pod}/c0ffee`)
    for (const node of ['two', 'one-more']) bench.kernel(line(node, podUidAt(9)))
    bench.kernel(line('one', uid))
    await bench.seconds(2)
    expect(bench.push.tries.map(({ podUid }) => podUid)).toEqual([uid])
    bench.stop()
  })

  it('that cannot be read are reported as missing', async () => {
    const bench = await agentBench()
    bench.kernelLog.missing = 'lines of the kernel: EPERM'
    bench.pod(uid)
    const agent = bench.start()
    bench.removePod(uid)
    await bench.seconds(1)
    expect(bench.push.tries[0]?.missing).toEqual(['lines of the kernel: EPERM'])
    expect(agent.status().missing).toEqual(['lines of the kernel: EPERM'])
    bench.stop()
  })
})
