import { access, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  type Controller,
  type GroupFolders,
  type Limits,
  type Prepared,
  type RunnerGroups,
  uniqueFolders,
} from './types.ts'

const bytesPerMiB = 1024 * 1024
const cpuPeriodUs = 100_000
/** The kernel accepts no smaller quota. */
const cpuQuotaMinUs = 1_000

/** The groups that a runner will have. Nothing is created yet, so that the caller can record them first. */
export function planGroups({ version, bases }: Prepared, name: string, limits: Limits): RunnerGroups | null {
  if (version === null || Object.keys(bases).length === 0) return null
  const entries = Object.entries(bases).map(([controller, base]) => [controller, path.join(base, name)])
  const limited = bases.memory !== undefined && limits.memoryMiB !== undefined
  return {
    version,
    folders: Object.fromEntries(entries) as GroupFolders,
    memoryLimitBytes: limited ? (limits.memoryMiB ?? 0) * bytesPerMiB : null,
  }
}

/** Creates a runner's groups and sets its limits. */
export async function createGroups(groups: RunnerGroups, limits: Limits): Promise<void> {
  for (const folder of uniqueFolders(groups.folders)) await mkdir(folder, { recursive: true })
  for (const [controller, file, value, optional] of settings(groups, limits)) {
    const folder = groups.folders[controller]
    if (folder === undefined) continue
    const target = path.join(folder, file)
    if (optional && !(await exists(target))) continue
    await writeFile(target, value, { flag: 'r+' })
  }
}

type Setting = readonly [controller: Controller, file: string, value: string, optional?: boolean]

function settings({ version, memoryLimitBytes }: RunnerGroups, { cpus, pids }: Limits): Setting[] {
  const list: Setting[] = []
  if (memoryLimitBytes !== null) {
    const bytes = String(memoryLimitBytes)
    // Without a limit on swap a runner at its limit would crawl through swap instead of ending.
    if (version === 1)
      list.push(
        ['memory', 'memory.limit_in_bytes', bytes],
        ['memory', 'memory.memsw.limit_in_bytes', bytes, true],
      )
    else list.push(['memory', 'memory.max', bytes], ['memory', 'memory.swap.max', '0', true])
  }
  if (pids !== undefined) list.push(['pids', 'pids.max', String(pids)])
  if (cpus !== undefined) {
    const quotaUs = Math.max(cpuQuotaMinUs, Math.round(cpus * cpuPeriodUs))
    if (version === 1)
      list.push(
        ['cpu', 'cpu.cfs_period_us', String(cpuPeriodUs)],
        ['cpu', 'cpu.cfs_quota_us', String(quotaUs)],
      )
    else list.push(['cpu', 'cpu.max', `${quotaUs} ${cpuPeriodUs}`])
  }
  return list
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}
