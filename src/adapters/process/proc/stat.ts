import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { isLack } from '../../../domain/errors/index.ts'

/** One process as /proc/<pid>/stat shows it. */
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
const tickMs = 10

/** The number of files that are open at the same time while all processes are read. */
const filesAtOnceMax = 32

/** A process that lives; null when there is none under this pid, only its zombie, or it cannot be read now. */
export function statOf(pid: number): ProcessStat | null {
  try {
    return provenStatOf(pid)
  } catch {
    return null
  }
}

/** The same for callers that act on absence: throws where we lack the resources to read it. */
export function provenStatOf(pid: number): ProcessStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    return none(error)
  }
}

/** Every live process. Throws where /proc cannot be listed, or where we lack the resources to read one. */
export async function allStats(): Promise<readonly ProcessStat[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await mapBounded(pids, (pid) => readFile(`/proc/${pid}/stat`, 'utf8').then(parseStat, none))
  return stats.filter((stat) => stat !== null)
}

/** Maps the items, a bounded number at a time. */
export async function mapBounded<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += filesAtOnceMax)
    results.push(...(await Promise.all(items.slice(at, at + filesAtOnceMax).map(work))))
  return results
}

/** The fields of a stat line; null for a zombie, which holds a pid and nothing else. */
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
    cpuMs: (number(11) + number(12)) * tickMs,
  }
}

function none(error: unknown): null {
  if (isLack(error)) throw error
  return null
}
