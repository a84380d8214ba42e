import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'

const groups = '/sys/fs/cgroup'
/** One millisecond in each second, the least that the kernel takes. */
const quotaUs = 1_000
const periodUs = 1_000_000

/** The processes of a container as the machine sees them, by its id at the container runtime. */
export async function containerProcesses(
  containerId: string,
): Promise<{ readonly init: number; readonly all: readonly number[] }> {
  const id = containerId.split('//')[1]
  if (!id) throw new Error(`expected the id of a container such as containerd://…, got "${containerId}"`)
  const all: number[] = []
  let init: number | undefined
  for (const name of (await readdir('/proc')).filter((each) => /^\d+$/.test(each))) {
    if (!(await readOf(name, 'cgroup')).includes(id)) continue
    all.push(Number(name))
    // The last number is its own within its namespace: that of the container's program is 1.
    if (/^NSpid:.*\t1$/m.test(await readOf(name, 'status'))) init = Number(name)
  }
  if (init === undefined) throw new Error(`container ${id} has no program that runs`)
  return { init, all }
}

/** Bounds the processor time of a process's group, under cgroup v1 or v2. */
export async function slowDown(pid: number): Promise<void> {
  const lines = (await readOf(`${pid}`, 'cgroup')).split('\n').map((line) => line.split(':'))
  const first = lines.find(([, controllers = '']) => controllers.split(',').includes('cpu'))
  if (first !== undefined) {
    const folder = path.join(groups, 'cpu', first.slice(2).join(':'))
    await writeFile(path.join(folder, 'cpu.cfs_period_us'), `${periodUs}`)
    await writeFile(path.join(folder, 'cpu.cfs_quota_us'), `${quotaUs}`)
    return
  }
  const unified = lines.find(([number]) => number === '0')
  const folder = path.join(groups, unified?.slice(2).join(':') ?? '')
  await writeFile(path.join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`)
}

/** Bounds how many processes a process's group may have, under cgroup v1 or v2. */
export async function boundProcesses(pid: number, most: number): Promise<void> {
  const lines = (await readOf(`${pid}`, 'cgroup')).split('\n').map((line) => line.split(':'))
  const first = lines.find(([, controllers = '']) => controllers.split(',').includes('pids'))
  const unified = lines.find(([number]) => number === '0')
  const folder =
    first === undefined
      ? path.join(groups, unified?.slice(2).join(':') ?? '')
      : path.join(groups, 'pids', first.slice(2).join(':'))
  await writeFile(path.join(folder, 'pids.max'), `${most}`)
}

function readOf(pid: string, file: string): Promise<string> {
  return readFile(path.join('/proc', pid, file), 'utf8').catch(() => '')
}
