import { isLack } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { killGroup, membersOf } from '../cgroup/index.ts'
import { isAlive, type ProcessIdentity } from './identity.ts'
import { marksOf } from './marker.ts'
import { allStats, mapBounded, type ProcessStat, statOf } from './stat.ts'
import { killAllOf, processesOfUser, type User } from './user.ts'

/** The traces by which the processes of a runner are found. */
export interface Traces {
  readonly name: string
  readonly host: string
  readonly cgroups: readonly string[]
  /** The runner's first process, leader of its process group and session. */
  readonly leader: ProcessIdentity | null
  /** Set by the leader's own parent at its exit: the pid cannot have been re-used yet. */
  readonly leaderEndedNow?: boolean
  /** Where the runner's program has a user of its own, every process of that user is the runner's. */
  readonly user?: User | null
}

/** A killed process is gone within milliseconds; one that waits for a dead disk may never be. */
const killDeadlineMs = 5_000
const killRoundMs = 10

/** Every live process of a runner: by cgroup, process group, session, user, descent and the mark in its environment. */
export async function findRemains(traces: Traces): Promise<readonly ProcessStat[]> {
  const stats = await allStats()
  const confined = new Set(traces.cgroups.flatMap(membersOf))
  const found = new Set<number>()
  for (const stat of stats) if (confined.has(stat.pid) || inGroup(stat, traces)) found.add(stat.pid)
  await mapBounded(stats, async ({ pid }) => ((await carriesMark(pid, traces)) ? found.add(pid) : null))
  if (traces.user) for (const { pid } of await processesOfUser(traces.user.uid, stats)) found.add(pid)
  addDescendants(found, stats)
  return stats.filter((stat) => found.has(stat.pid))
}

/** Kills every process of a runner; returns the pids that did not end in time. */
export async function killRemains(traces: Traces, clock: Clock): Promise<readonly number[]> {
  const deadline = clock.now() + killDeadlineMs
  for (let round = 0; ; round++) {
    const isLate = clock.now() >= deadline
    const remains = await findRemains(traces).catch((error: unknown) => {
      if (isLate || !isLack(error)) throw error
      return null // looked for again in the next round
    })
    if (remains?.length === 0) return []
    if (isLate) return (remains ?? []).map((stat) => stat.pid)
    for (const folder of traces.cgroups) killGroup(folder)
    if (traces.user && round > 0) killAllOf(traces.user) // the job forks faster than we find its processes
    for (const stat of remains ?? []) kill(stat)
    await clock.sleep(killRoundMs)
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
    // ended meanwhile; a process that we may not kill shows in the next round
  }
}
