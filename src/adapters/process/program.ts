import type { HostedRunner } from '../../ports/runner-host.ts'
import type { Found } from './look.ts'
import { isAlive, type ProcessStat } from './proc/index.ts'

/**
 * Whether the program that runs the job has started: it is the first process's child, and that process lives as long
 * as its child. The process table says so, not a file, which a job could remove.
 */
export function programOf(
  { start, record, ended }: Found,
  stats: readonly ProcessStat[],
): HostedRunner['program'] {
  if (start.runsJobAsChild !== true) return 'unknown' // asking for a job and running it is one program
  const leader = record?.runner ?? null
  if (leader === null || ended || !isAlive(leader)) return 'unknown'
  return stats.some(({ parent }) => parent === leader.pid) ? 'started' : 'waiting'
}
