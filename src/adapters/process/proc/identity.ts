import { readFileSync } from 'node:fs'
import { isLack } from '../../../domain/errors/index.ts'
import { allStats, provenStatOf, statOf } from './stat.ts'

/** The identity of a process: it differs from every other, also from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number
  readonly startTicks: number
  /** Ticks since boot mean something within one boot only. */
  readonly bootId: string
}

/** The identity of a live process; null when there is none, or it cannot be read now. */
export function identityOf(pid: number): ProcessIdentity | null {
  const stat = statOf(pid)
  if (stat === null) return null
  try {
    return { pid, startTicks: stat.startTicks, bootId: bootId() }
  } catch {
    return null // without the boot it would be that of no process at all
  }
}

/**
 * Whether the process of this record still lives; a re-used pid is another process. Throws where we lack the resources
 * to read that: a caller that took the process for dead would kill a running job.
 */
export function isAlive(recorded: ProcessIdentity | null): boolean {
  if (recorded === null || recorded.bootId !== bootId()) return false
  return provenStatOf(recorded.pid)?.startTicks === recorded.startTicks
}

/** The only child of a process; null while it has none. */
export async function childOf(pid: number): Promise<ProcessIdentity | null> {
  const child = (await allStats()).find((stat) => stat.parent === pid)
  return child === undefined ? null : { pid: child.pid, startTicks: child.startTicks, bootId: bootId() }
}

/** The kernel's id of this boot; empty in sandboxes that hide it, where the start time alone must do. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch (error) {
    if (isLack(error)) throw error
    return ''
  }
}
