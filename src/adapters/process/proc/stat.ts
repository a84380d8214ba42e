import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** One process as /proc/<pid>/stat tells it. */
export interface ProcessStat {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks between boot and its start: with its pid it names one process of this boot. */
  readonly startTicks: number
  readonly cpuMs: number
}

/** Linux shows times in hundredths of a second to programs, whatever the kernel's own rate is. */
const TICK_MS = 10

/** A process that lives; null when there is none under this pid, or only its zombie. */
export function statOf(pid: number): ProcessStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return null
  }
}

/** Every process that lives. Throws where /proc cannot be listed. */
export async function allStats(): Promise<readonly ProcessStat[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').then(parseStat, none)),
  )
  return stats.filter((stat) => stat !== null)
}

/** The words of a stat line; null for a zombie, which holds a pid and nothing else. */
export function parseStat(text: string): ProcessStat | null {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ') // the name before may hold anything
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  const number = (index: number): number => Number(fields[index])
  return {
    pid: Number.parseInt(text, 10),
    parent: number(1),
    group: number(2),
    session: number(3),
    startTicks: number(19),
    cpuMs: (number(11) + number(12)) * TICK_MS,
  }
}

function none(): null {
  return null
}
