import path from 'node:path'

/** For tests and benchmarks: a node's files as the kernel shows them. */
export interface Imitation {
  readonly version: 1 | 2
  readonly driver: 'cgroupfs' | 'systemd'
}

export const podUidAt = (index: number): string =>
  `0a1b2c3d-0000-4000-8000-${index.toString(16).padStart(12, '0')}`

const noUse = {
  memoryBytes: 1_000_000,
  droppableBytes: 0,
  limitBytes: 64_000_000,
  oomKills: 0,
  containerOomKills: 0,
  cpuUs: 0,
  throttledUs: 0,
  containerThrottledUs: 0,
  pids: 1,
  pidsMax: 'max',
  containerPidsMax: 'max',
  refused: 0,
  containerRefused: 0,
}
export type Use = typeof noUse

/** Path of a pod's group from a hierarchy's mount. */
export function podGroup({ driver }: Imitation, podUid: string): string {
  if (driver === 'cgroupfs') return `kubepods/burstable/pod${podUid}`
  const slice = `kubepods-burstable-pod${podUid.replaceAll('-', '_')}.slice`
  return path.join('kubepods.slice', 'kubepods-burstable.slice', slice)
}

export function containerGroup(of: Imitation, podUid: string, id = 'c0ffee'): string {
  const name = of.driver === 'cgroupfs' ? id.repeat(8) : `cri-containerd-${id.repeat(8)}.scope`
  return path.join(podGroup(of, podUid), name)
}

/** The files of one pod with one container, by path from the root of the imitation. */
export function podFiles(of: Imitation, podUid: string, over: Partial<Use> = {}): Record<string, string> {
  const use = { ...noUse, ...over }
  const [group, container] = [podGroup(of, podUid), containerGroup(of, podUid)]
  return of.version === 2 ? filesV2(group, container, use) : filesV1(group, container, use)
}

function filesV2(group: string, container: string, use: Use): Record<string, string> {
  const all = use.oomKills + use.containerOomKills
  const waiting =
    'some avg10=1.50 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n'
  return under(`cgroup/${group}`, {
    'memory.current': `${use.memoryBytes + use.droppableBytes}\n`,
    'memory.stat': `anon ${use.memoryBytes}\nfile 0\n${padding}inactive_file ${use.droppableBytes}\n`,
    'memory.max': `${use.limitBytes}\n`,
    'memory.events': `low 0\nhigh 0\nmax 3\noom ${all}\noom_kill ${all}\noom_group_kill 0\n`,
    'cpu.stat': `usage_usec ${use.cpuUs}\nuser_usec 0\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec ${use.throttledUs}\n`,
    ...processFiles(use.pids, use.pidsMax, use.refused),
    'memory.pressure': waiting,
    'cpu.pressure': waiting,
    'io.pressure': waiting,
    [`${path.basename(container)}/cgroup.procs`]: '1\n',
    [`${path.basename(container)}/cpu.stat`]: `usage_usec 0\nthrottled_usec ${use.containerThrottledUs}\n`,
    ...under(path.basename(container), processFiles(use.pids, use.containerPidsMax, use.containerRefused)),
  })
}

function filesV1(group: string, container: string, use: Use): Record<string, string> {
  const oomControl = (kills: number) => `oom_kill_disable 0\nunder_oom 0\noom_kill ${kills}\n`
  const throttling = (us: number) => `nr_periods 0\nnr_throttled 0\nthrottled_time ${us * 1_000}\n`
  return {
    ...under(`cgroup/memory/${group}`, {
      'memory.usage_in_bytes': `${use.memoryBytes + use.droppableBytes}\n`,
      'memory.stat': `cache 0\ninactive_file 1\n${padding}total_inactive_file ${use.droppableBytes}\n`,
      'memory.limit_in_bytes': `${use.limitBytes}\n`,
      'memory.oom_control': oomControl(use.oomKills),
      [`${path.basename(container)}/memory.oom_control`]: oomControl(use.containerOomKills),
    }),
    ...under(`cgroup/cpu,cpuacct/${group}`, {
      'cpuacct.usage': `${use.cpuUs * 1_000}\n`,
      'cpu.stat': throttling(use.throttledUs),
      [`${path.basename(container)}/cpu.stat`]: throttling(use.containerThrottledUs),
    }),
    ...under(`cgroup/pids/${group}`, {
      ...processFiles(use.pids, use.pidsMax, use.refused),
      ...under(path.basename(container), processFiles(use.pids, use.containerPidsMax, use.containerRefused)),
    }),
  }
}

function processFiles(now: number, most: string, refused: number): Record<string, string> {
  return { 'pids.current': `${now}\n`, 'pids.max': `${most}\n`, 'pids.events': `max ${refused}\n` }
}

/** As many bytes as the kernel has between the two fields that are read. */
const padding = Array.from({ length: 25 }, (_, index) => `field_${index} 123456789\n`).join('')

/** The files of the node itself. */
export function nodeFiles(of: Imitation): Record<string, string> {
  const pods = path.dirname(podGroup(of, podUidAt(0)))
  return {
    [`cgroup/${of.version === 2 ? '' : 'memory/'}${pods}/cgroup.procs`]: '',
    ...(of.version === 2
      ? { 'cgroup/cgroup.controllers': 'cpu memory pids\n' }
      : { 'cgroup/memory/tasks': '', 'cgroup/cpu,cpuacct/tasks': '', 'cgroup/pids/tasks': '' }),
    'proc/meminfo': 'MemTotal: 1000 kB\nMemFree: 100 kB\nMemAvailable: 500 kB\n',
    'proc/sys/fs/file-nr': '1024\t0\t9223372\n',
    'proc/sys/net/netfilter/nf_conntrack_count': '7\n',
    'proc/sys/net/netfilter/nf_conntrack_max': '262144\n',
    'proc/uptime': '1000.00 2000.00\n',
  }
}

function under(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [path.join(folder, name), text]))
}
