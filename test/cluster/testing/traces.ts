import { readdir, readFile, readlink } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../../support/go-build.ts'
import type { Cluster } from '../cluster.ts'
import { until } from '../machine/until.ts'

/** By what something of a cluster would be seen on the machine, gathered while it runs. */
export interface Traces {
  readonly id: string
  readonly folder: string
  /** Namespaces of every process of the cluster that are not the machine's. */
  readonly namespaces: ReadonlySet<string>
  readonly interfaces: string
}

const namespaceKinds = ['net', 'mnt', 'pid', 'ipc', 'uts'] as const
const cgroupDepthMax = 3
const reapedWithinMs = 5_000

/** Gathers the traces of a cluster that runs, from the machine itself. */
export async function tracesOf(cluster: Cluster): Promise<Traces> {
  const { id, folder } = cluster.place
  const own = new Set(await namespacesOf('self'))
  const namespaces = new Set<string>()
  for (const pid of await pidsInGroups(id)) {
    for (const name of await namespacesOf(`${pid}`)) if (!own.has(name)) namespaces.add(name)
  }
  return { id, folder, namespaces, interfaces: await interfaces() }
}

/** Everything of a cluster that is seen on the machine, in words. Looks without the cluster's own files. */
export async function seen({ id, folder, namespaces, interfaces: before }: Traces): Promise<string[]> {
  const found = (await groupsNamed(id)).map((group) => `cgroup ${group}`)
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (pid === `${process.pid}`) continue
    const read = (file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')
    const [command, environment, mounts] = await Promise.all(['cmdline', 'environ', 'mountinfo'].map(read))
    if (command?.includes(folder) || environment?.includes(id)) found.push(`process ${pid}: ${command}`)
    if (mounts?.includes(folder)) found.push(`mount of ${folder} in process ${pid}`)
    for (const name of namespaces) {
      if (mounts?.includes(name)) found.push(`namespace ${name} is mounted in process ${pid}`)
    }
    for (const name of await namespacesOf(pid)) {
      if (namespaces.has(name)) found.push(`namespace ${name} of process ${pid}: ${command}`)
    }
  }
  if ((await interfaces()) !== before) found.push(`interfaces: ${await interfaces()}`)
  return found
}

/** Waits until nothing of a cluster is seen any more, and gives what still is: who has ended is reaped by init. */
export async function leftOf(traces: Traces): Promise<string[]> {
  let left: string[] = []
  await until('nothing is left', reapedWithinMs, async () => {
    left = await seen(traces)
    return left.length === 0
  }).catch(() => undefined)
  return left
}

/** Groups of this name in all hierarchies. */
async function groupsNamed(id: string, parent = '/sys/fs/cgroup', depth = 0): Promise<string[]> {
  if (depth > cgroupDepthMax) return []
  const found: string[] = []
  for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory()) continue
    const folder = path.join(parent, entry.name)
    found.push(...(entry.name.includes(id) ? [folder] : await groupsNamed(id, folder, depth + 1)))
  }
  return found
}

async function pidsInGroups(id: string): Promise<number[]> {
  const pids = new Set<number>()
  const collect = async (folder: string): Promise<void> => {
    const text = await readFile(path.join(folder, 'cgroup.procs'), 'utf8').catch(() => '')
    for (const pid of text.split('\n').filter(Boolean)) pids.add(Number(pid))
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) await collect(path.join(folder, entry.name))
    }
  }
  for (const group of await groupsNamed(id)) await collect(group)
  return [...pids]
}

async function namespacesOf(pid: string): Promise<string[]> {
  const links = await Promise.all(
    namespaceKinds.map((kind) => readlink(`/proc/${pid}/ns/${kind}`).catch(() => null)),
  )
  return links.filter((link) => link !== null)
}

/** Of the machine's own network namespace, by name alone: their counters and states change by themselves. */
async function interfaces(): Promise<string> {
  const lines = (await run('ip', ['-oneline', 'link'])).split('\n')
  return lines.map((line) => line.split(': ')[1] ?? '').join(' ')
}
