import { KeptLog, ManualClock } from '../../platform/lifecycle/fakes.ts'
import { createAgent } from '../agent.ts'
import type { AgentSettings } from '../settings.ts'
import { FakeKernelFiles, FakeKernelLog, FakePush, FakeRingFiles } from './fakes.ts'
import { type Imitation, nodeFiles, podFiles, podGroup, type Use } from './imitation.ts'

export const startAt = Date.UTC(2026, 0, 2, 3, 4, 5)
const settings: AgentSettings = {
  url: 'http://server',
  tokenFile: '/token',
  node: 'node-1',
  folder: '/rings',
  sampleMs: 1_000,
  cgroups: '/cgroup',
  below: '',
  proc: '/proc',
  kernelLog: '/dev/kmsg',
  images: '/',
}

/** For tests: an agent on an imitated node that the test moves on second by second. */
export async function agentBench(
  of: Imitation = { version: 2, driver: 'systemd' },
  ringFiles = new FakeRingFiles(),
  fraction = () => 0,
  below = '',
) {
  const clock = new ManualClock()
  await clock.advance(startAt)
  const files = new FakeKernelFiles()
  files.put(nodeFiles(of))
  const kernelLog = new FakeKernelLog()
  const push = new FakePush()
  const log = new KeptLog()
  const entropy = { fraction }
  const deps = {
    clock,
    entropy,
    log,
    files,
    kernelLog,
    rings: ringFiles,
    push,
    settings: { ...settings, below },
  }
  const stopping = new AbortController()
  return {
    clock,
    files,
    kernelLog,
    push,
    log,
    rings: ringFiles,
    of,
    /** Starts an agent; it looks at once, and then with each second that passes. */
    start() {
      const agent = createAgent(deps)
      void agent.run(stopping.signal)
      return agent
    },
    seconds: (count: number) => clock.advance(count * 1_000),
    stop: () => stopping.abort(),
    pod: (podUid: string, use: Partial<Use> = {}) => files.put(podFiles(of, podUid, use)),
    removePod(podUid: string) {
      for (const mount of ['cgroup', 'cgroup/memory', 'cgroup/cpu,cpuacct', 'cgroup/pids'])
        files.removeFolder(`${mount}/${podGroup(of, podUid)}`)
    },
    /** The kernel writes a line, so many seconds after the machine's start. */
    kernel(text: string, facility = 0, afterBootS = 1_000) {
      kernelLog.records.push(`${(facility << 3) | 6},1,${afterBootS * 1_000_000},-;${text}\n`)
    },
  }
}
