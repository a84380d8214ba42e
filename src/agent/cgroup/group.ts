import path from 'node:path'
import type { KernelFile, KernelFiles } from '../../ports/host-agent.ts'
import type { GroupReading } from '../ring/fields.ts'
import { type CountsBelow, countsBelow } from './counts-below.ts'
import type { Hierarchies } from './hierarchies.ts'
import { openProcessLimit } from './process-limit.ts'
import { fieldIn, numberIn, pressureIn, scaled } from './values.ts'

/** A limit changes seldom; it is read with the first sample and then with every tenth. */
const limitEvery = 10
const statEvery = 5
const nearLimit = 0.75
const pressureMs = 2_000
/** Version 1 writes "no limit" as the largest number of pages. */
const unlimitedFrom = 2 ** 60
/** Throttling that matters lasts for many seconds, so every second sample suffices. */
const throttledEvery = 2

/** One pod's group, its files held open: a sample is some reads at position 0, and opens nothing. */
export interface Group {
  readonly path: string
  read(): GroupReading
  /** The number of containers' groups below it. */
  containers(): number
  close(): void
}

/** Opens the files of a group; a missing one reads as null. */
export function openGroup(
  files: KernelFiles,
  hierarchies: Hierarchies,
  groupPath: string,
  sampleMs: number,
): Group {
  return hierarchies.version === 1
    ? openV1(files, hierarchies, groupPath, sampleMs)
    : openV2(files, hierarchies, groupPath, sampleMs)
}

function openV2(files: KernelFiles, { memory }: Hierarchies, groupPath: string, sampleMs: number): Group {
  const folder = path.join(memory, groupPath)
  const opened: KernelFile[] = []
  const open = opener(files, opened, folder)
  const current = open('memory.current')
  const stat = open('memory.stat')
  const memoryOf = memoryReader(current, stat, 'inactive_file', open('memory.max'))
  const events = open('memory.events')
  const cpu = open('cpu.stat')
  const throttled = throttledBelow(files, folder, 'throttled_usec')
  const limit = openProcessLimit(files, folder)
  const pids = open('pids.current')
  const pressuresOf = pressureReader(open, sampleMs)
  return {
    path: groupPath,
    read: () => ({
      ...memoryOf(),
      // Counted with all groups below it, also those that are gone.
      oomKills: fieldIn(events(), 'oom_kill'),
      cpuMs: scaled(fieldIn(cpu(), 'usage_usec'), 1_000),
      throttledMs: scaled(throttled.read(), 1_000),
      processes: numberIn(pids()),
      ...(limit?.read() ?? noLimit),
      ...pressuresOf(),
    }),
    containers() {
      limit?.follow()
      return throttled.follow()
    },
    close() {
      limit?.close()
      throttled.close()
      closeAll(opened)
    },
  }
}

function openV1(files: KernelFiles, hierarchies: Hierarchies, groupPath: string, sampleMs: number): Group {
  const { memory, cpu, cpuacct, pids, pressure } = hierarchies
  const folder = path.join(memory, groupPath)
  const opened: KernelFile[] = []
  const open = opener(files, opened, folder)
  const of = (mount: string | null, name: string): Read =>
    mount === null ? () => null : opener(files, opened, path.join(mount, groupPath))(name)
  const usage = open('memory.usage_in_bytes')
  const stat = open('memory.stat')
  const memoryOf = memoryReader(usage, stat, 'total_inactive_file', open('memory.limit_in_bytes'))
  const time = of(cpuacct, 'cpuacct.usage')
  const throttled = cpu === null ? null : throttledBelow(files, path.join(cpu, groupPath), 'throttled_time')
  const limit = openProcessLimit(files, pids === null ? null : path.join(pids, groupPath))
  const tasks = of(pids, 'pids.current')
  const kills = countsBelow(files, folder, 'memory.oom_control', (text) => fieldIn(text, 'oom_kill'))
  const pressuresOf = pressureReader((name) => of(pressure, name), sampleMs)
  return {
    path: groupPath,
    read: () => ({
      ...memoryOf(),
      oomKills: kills.read(),
      cpuMs: scaled(numberIn(time()), 1_000_000),
      throttledMs: scaled(throttled?.read() ?? null, 1_000_000),
      processes: numberIn(tasks()),
      ...(limit?.read() ?? noLimit),
      ...pressuresOf(),
    }),
    containers() {
      throttled?.follow()
      limit?.follow()
      return kills.follow()
    },
    close() {
      kills.close()
      limit?.close()
      throttled?.close()
      closeAll(opened)
    },
  }
}

const noLimit = { processesMax: null, forksRefused: null }

function throttledBelow(files: KernelFiles, folder: string, field: string): CountsBelow {
  const valueIn = (text: string | null) => fieldIn(text, field)
  return countsBelow(files, folder, 'cpu.stat', valueIn, { readEvery: throttledEvery })
}

type Read = () => string | null

function opener(files: KernelFiles, opened: KernelFile[], folder: string): (name: string) => Read {
  return (name) => {
    const file = files.open(path.join(folder, name))
    if (file === null) return () => null
    opened.push(file)
    return () => file.read()
  }
}

/**
 * Memory without file pages that the kernel could drop at once: a group full of these is not out of memory. Their number
 * costs as much to read as all else together, so it is read each time only where it would matter.
 */
function memoryReader(current: Read, stat: Read, droppable: string, limit: Read) {
  let reads = 0
  let limitBytes: number | null = null
  let droppableBytes = 0
  return (): Pick<GroupReading, 'memoryBytes' | 'memoryLimitBytes'> => {
    if (reads % limitEvery === 0) limitBytes = limited(numberIn(limit()))
    const bytes = numberIn(current())
    const isNearLimit = limitBytes !== null && (bytes ?? 0) >= limitBytes * nearLimit
    if (isNearLimit || reads % statEvery === 0) droppableBytes = fieldIn(stat(), droppable) ?? 0
    reads += 1
    return {
      memoryBytes: bytes === null ? null : Math.max(0, bytes - droppableBytes),
      memoryLimitBytes: limitBytes,
    }
  }
}

/** The kernel updates these averages every two seconds; reads in between are skipped. */
function pressureReader(open: (name: string) => Read, sampleMs: number) {
  const [memory, cpu, io] = [open('memory.pressure'), open('cpu.pressure'), open('io.pressure')]
  const readEvery = Math.max(1, Math.floor(pressureMs / sampleMs))
  let reads = 0
  let last: Pick<GroupReading, 'memoryPressure' | 'cpuPressure' | 'ioPressure'>
  return () => {
    if (reads % readEvery === 0) {
      last = {
        memoryPressure: pressureIn(memory()),
        cpuPressure: pressureIn(cpu()),
        ioPressure: pressureIn(io()),
      }
    }
    reads += 1
    return last
  }
}

function limited(limit: number | null): number | null {
  return limit !== null && limit >= unlimitedFrom ? null : limit
}

function closeAll(opened: readonly KernelFile[]): void {
  for (const file of opened) file.close()
}
