import { readFileSync } from 'node:fs'
import path from 'node:path'
import { membersOf, treeOf } from './members.ts'
import type { RunnerGroups } from './types.ts'

export interface Usage {
  readonly memoryBytes: number | null
  readonly cpuMs: number | null
  readonly processes: number | null
}

export interface MemoryEnd {
  readonly oomKills: number | null
  readonly peakBytes: number | null
}

/** The present usage of a runner. Memory is counted without file pages that the kernel could drop at once. */
export function readUsage({ version, folders }: RunnerGroups): Usage {
  const { memory, cpuacct } = folders
  const any = Object.values(folders)[0]
  const used = number(memory, version === 1 ? 'memory.usage_in_bytes' : 'memory.current')
  const droppable = field(memory, 'memory.stat', version === 1 ? 'total_inactive_file' : 'inactive_file') ?? 0
  const cpu = version === 1 ? number(cpuacct, 'cpuacct.usage') : field(cpuacct, 'cpu.stat', 'usage_usec')
  return {
    memoryBytes: used === null ? null : Math.max(0, used - droppable),
    cpuMs: cpu === null ? null : Math.round(cpu / (version === 1 ? 1_000_000 : 1_000)),
    processes: any === undefined ? null : membersOf(any).length,
  }
}

/** The kernel's counts so far: kills at the memory limit, and peak memory. */
export function readMemoryEnd({ version, folders: { memory } }: RunnerGroups): MemoryEnd {
  // Version 2 counts a group with all below it; version 1 each group alone.
  const groups = memory === undefined ? [] : version === 1 ? treeOf(memory) : [memory]
  const file = version === 1 ? 'memory.oom_control' : 'memory.events'
  const counts = groups.map((group) => field(group, file, 'oom_kill')).filter((count) => count !== null)
  return {
    oomKills: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
    peakBytes: number(memory, version === 1 ? 'memory.max_usage_in_bytes' : 'memory.peak'),
  }
}

function number(folder: string | undefined, file: string): number | null {
  const text = read(folder, file)?.trim()
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : null
}

function field(folder: string | undefined, file: string, name: string): number | null {
  const match = read(folder, file)?.match(new RegExp(`^${name} (\\d+)$`, 'm'))
  return match?.[1] === undefined ? null : Number(match[1])
}

function read(folder: string | undefined, file: string): string | undefined {
  if (folder === undefined) return undefined
  try {
    return readFileSync(path.join(folder, file), 'utf8')
  } catch {
    return undefined
  }
}
