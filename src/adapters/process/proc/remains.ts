import { isLack } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { killGroup, membersOf } from '../cgroup/index.ts'
import { isAlive, type ProcessIdentity } from './identity.ts'
import { marksOf } from './marker.ts'
import { allStats, type ProcessStat, someAtOnce, statOf } from './stat.ts'
import { killAllOf, processesOfUser, type User } from './user.ts'

/** By what the processes of a runner are known. */
export interface Traces {
  readonly name: string
  readonly host: string
  readonly cgroups: readonly string[]
  /** The runner's first process, leader of its process group and session. */
  readonly leader: ProcessIdentity | null
  /** Said by the leader's own parent in the moment of its end: its pid cannot have been given away yet. */
  readonly leaderEndedNow?: boolean
  /** Where the runner's program is a user of its own, everything of that user is the runner's. */
  readonly user?: User | null
}

/** A killed process is gone within milliseconds; one that waits for a dead disk may never be. */
const KILL_DEADLINE_MS = 5_000
const KILL_ROUND_MS = 10

/** Everything of a runner that lives: by cgroup, process group, session, user, descent and the mark in its environment. */
export async function findRemains(traces: Traces): Promise<readonly ProcessStat[]> {
  const stats = await allStats()
  const confined = new Set(traces.cgroups.flatMap(membersOf))
  const found = new Set<number>()
  for (const stat of stats) if (confined.has(stat.pid) || inGroup(stat, traces)) found.add(stat.pid)
  await someAtOnce(stats, async ({ pid }) => ((await carriesMark(pid, traces)) ? found.add(pid) : null))
  if (traces.user) for (const { pid } of await processesOfUser(traces.user.uid, stats)) found.add(pid)
  addDescendants(found, stats)
  return stats.filter((stat) => found.has(stat.pid))
}

/** Ends everything of a runner at once; gives the pids that did not end in time. */
export async function killRemains(traces: Traces, clock: Clock): Promise<readonly number[]> {
  const deadline = clock.now() + KILL_DEADLINE_MS
  for (let round = 0; ; round++) {
    const isLate = clock.now() >= deadline
    const remains = await findRemains(traces).catch((error: unknown) => {
      if (isLate || !isLack(error)) throw error
      return null // looked for again in the next round
    })
    if (remains?.length === 0) return []
    if (isLate) return (remains ?? []).map((stat) => stat.pid)
    for (const folder of traces.cgroups) killGroup(folder)
    if (traces.user && round > 0) killAllOf(traces.user) // it forks faster than it is found
    for (const stat of remains ?? []) kill(stat)
    await clock.sleep(KILL_ROUND_MS)
  }
}

/**
 * A group's id is its leader's pid, so it proves something only while that pid is still the leader's.
 * Afterwards the other traces must do: another program's group may have the number by now.
 */
function inGroup(stat: ProcessStat, { leader, leaderEndedNow }: Traces): boolean {
  if (leader === null || (stat.group !== leader.pid && stat.session !== leader.pid)) return false
  return leaderEndedNow === true || isAlive(leader)
}

async function carriesMark(pid: number, traces: Traces): Promise<boolean> {
  const marks = await marksOf(pid)
  return marks !== null && marks.host === traces.host && marks.runner === traces.name
}

function addDescendants(found: Set<number>, stats: readonly ProcessStat[]): void {
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const stat of stats) if (found.has(stat.parent)) found.add(stat.pid)
  }
}

function kill(stat: ProcessStat): void {
  if (statOf(stat.pid)?.startTicks !== stat.startTicks) return
  try {
    process.kill(stat.pid, 'SIGKILL')
  } catch {
    // ended meanwhile; what may not be ended shows in the next round
  }
}
