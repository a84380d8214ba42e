import { getuid } from 'node:process'
import { marksOf } from './marker.ts'
import { allStats, mapBounded, type ProcessStat } from './stat.ts'
import { uidOf } from './user.ts'

export interface Stray {
  readonly runner: string
  readonly kind: 'shim' | 'member'
  readonly process: ProcessStat
}

/** Every process of this host by its mark alone, also those without a record. */
export async function findMarked(host: string): Promise<readonly Stray[]> {
  const stats = await allStats()
  const strays = await mapBounded(stats, (process) => strayOf(process, host))
  return strays.filter((stray) => stray !== null)
}

async function strayOf(process: ProcessStat, host: string): Promise<Stray | null> {
  const marks = await marksOf(process.pid)
  if (marks === null || marks.host !== host) return null
  if (marks.runner !== null) return { runner: marks.runner, kind: 'member', process }
  if (marks.shim === null || (await uidOf(process.pid)) !== getuid?.()) return null // a job may mark itself as it likes
  return { runner: marks.shim, kind: 'shim', process }
}
