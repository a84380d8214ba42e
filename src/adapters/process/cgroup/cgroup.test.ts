import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGroups, planGroups } from './create.ts'
import { parseHierarchies } from './hierarchy.ts'
import { prepareV1 } from './prepare-v1.ts'
import { prepareV2 } from './prepare-v2.ts'
import { readMemoryEnd, readUsage } from './read.ts'

const bytesPerMiB = 1024 * 1024
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'holdfast-cgroup-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Files as the kernel shows them in a group. */
async function put(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
}
const read = (name: string) => readFile(path.join(folder, name), 'utf8')

describe('parseHierarchies', () => {
  it('returns one hierarchy for each controller in version 1, also where two share one', () => {
    const mounts = [
      '30 25 0:26 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
      '31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
      '32 25 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
      '33 25 0:29 / /home rw - ext4 /dev/sda1 rw',
    ].join('\n')
    const own = '4:memory:/a/b\n2:cpu,cpuacct:/\n0::/init.scope\n'
    expect(parseHierarchies(mounts, own)).toEqual([
      {
        version: 1,
        controllers: ['memory'],
        mount: '/sys/fs/cgroup/memory',
        own: '/sys/fs/cgroup/memory/a/b',
      },
      {
        version: 1,
        controllers: ['cpu', 'cpuacct'],
        mount: '/sys/fs/cgroup/cpu,cpuacct',
        own: '/sys/fs/cgroup/cpu,cpuacct/',
      },
      {
        version: 2,
        controllers: [],
        mount: '/sys/fs/cgroup/unified',
        own: '/sys/fs/cgroup/unified/init.scope',
      },
    ])
  })

  it('resolves group paths from the part that is mounted inside a container', () => {
    const mounts = '30 25 0:26 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory'
    const at = (own: string) => parseHierarchies(mounts, own)[0]?.own
    expect(at('4:memory:/docker/abc/job')).toBe('/sys/fs/cgroup/memory/job')
    expect(at('4:memory:/docker/abc')).toBe('/sys/fs/cgroup/memory')
    expect(at('4:memory:/elsewhere')).toBe('/sys/fs/cgroup/memory/')
  })
})

describe('cgroup limits', () => {
  const bases = (base: string) => ({ memory: base, pids: base, cpu: base, cpuacct: base })

  it('are written in the format of version 2', async () => {
    const names = ['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max']
    await put(Object.fromEntries(names.map((name) => [`r/${name}`, 'max'])))
    const limits = { memoryMiB: 64, cpus: 1.5, pids: 100 }
    const groups = planGroups({ version: 2, bases: bases(folder), why: [] }, 'r', limits)
    if (groups === null) throw new Error('no groups were planned')
    await createGroups(groups, limits)
    expect(groups.memoryLimitBytes).toBe(64 * bytesPerMiB)
    expect(await Promise.all(names.map((name) => read(`r/${name}`)))).toEqual([
      String(64 * bytesPerMiB),
      '0ax',
      '100',
      '150000 100000',
    ])
  })

  it('are not written where none is set', async () => {
    const groups = planGroups({ version: 2, bases: bases(folder), why: [] }, 'r', {})
    if (groups === null) throw new Error('no groups were planned')
    await createGroups(groups, {})
    expect(groups.memoryLimitBytes).toBeNull()
  })

  it('throw where the kernel does not offer a planned controller', async () => {
    const groups = planGroups({ version: 2, bases: bases(folder), why: [] }, 'r', { pids: 5 })
    if (groups === null) throw new Error('no groups were planned')
    await expect(createGroups(groups, { pids: 5 })).rejects.toThrow('pids.max')
  })

  it('plan no groups where the machine allows none', () => {
    expect(planGroups({ version: null, bases: {}, why: ['no rights'] }, 'r', { pids: 5 })).toBeNull()
  })
})

describe('the usage of a group', () => {
  const groups = (version: 1 | 2) => ({
    version,
    folders: { memory: folder, pids: folder, cpu: folder, cpuacct: folder },
    memoryLimitBytes: null,
  })

  it('is read in version 2, without file pages that can be dropped', async () => {
    await put({
      'memory.current': '5000\n',
      'memory.stat': 'anon 1\ninactive_file 1000\n',
      'memory.peak': '9000\n',
      'memory.events': 'low 0\noom 3\noom_kill 2\noom_group_kill 0\n',
      'cpu.stat': 'usage_usec 123456\nuser_usec 1\n',
      'cgroup.procs': '1\n2\n',
    })
    expect(readUsage(groups(2))).toEqual({ memoryBytes: 4000, cpuMs: 123, processes: 2 })
    expect(readMemoryEnd(groups(2))).toEqual({ oomKills: 2, peakBytes: 9000 })
  })

  it('is read in version 1, with the groups that the job made inside', async () => {
    await put({
      'memory.usage_in_bytes': '5000\n',
      'memory.stat': 'inactive_file 1\ntotal_inactive_file 1000\n',
      'memory.max_usage_in_bytes': '9000\n',
      'memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 1\n',
      'inner/memory.oom_control': 'oom_kill_disable 0\nunder_oom 0\noom_kill 4\n',
      'cpuacct.usage': '123456789\n',
      'cgroup.procs': '1\n',
      'inner/cgroup.procs': '2\n3\n',
    })
    expect(readUsage(groups(1))).toEqual({ memoryBytes: 4000, cpuMs: 123, processes: 3 })
    expect(readMemoryEnd(groups(1))).toEqual({ oomKills: 5, peakBytes: 9000 })
  })

  it('is unknown, not zero, where it cannot be read', () => {
    expect(readMemoryEnd(groups(1))).toEqual({ oomKills: null, peakBytes: null })
    expect(readMemoryEnd(groups(2))).toEqual({ oomKills: null, peakBytes: null })
  })
})

describe('a controller that cannot be used', () => {
  it('is reported for each controller in version 1', async () => {
    await put({ mount: 'a file where a group should be' })
    const own = path.join(folder, 'mount')
    const result = await prepareV1([{ version: 1, controllers: ['memory'], mount: folder, own }], 'base')
    expect(result.bases).toEqual({})
    expect(result.why).toHaveLength(4)
    expect(result.why[0]).toMatch(/^memory: .*base cannot be made/)
    expect(result.why[1]).toBe('pids: this machine has no such controller mounted')
  })

  it('is reported for each group that was tried in version 2, and nothing is left behind there', async () => {
    await put({ 'unit/leaf/cgroup.controllers': 'memory\n', 'unit/cgroup.controllers': '' })
    await mkdir(path.join(folder, 'unit/leaf/cgroup.subtree_control')) // the write is refused
    const own = path.join(folder, 'unit/leaf')
    const result = await prepareV2({ version: 2, controllers: [], mount: folder, own }, 'base')
    expect(result.bases).toEqual({})
    expect(result.why.map((line) => line.split(':')[0])).toEqual([
      `${own}/base gets no controllers`,
      `${path.dirname(own)}/base gets no controllers`,
    ])
    await expect(read('unit/leaf/base')).rejects.toThrow('ENOENT')
  })
})
