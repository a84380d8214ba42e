import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isLack } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { allStats, mapBounded, type ProcessStat } from './stat.ts'

/** A killed process is gone within milliseconds; one that waits for a dead disk may never be. */
const killDeadlineMs = 5_000
const killRoundMs = 10
const askDeadlineMs = 5_000
/** Below are the users of the system itself: none of them is ever a runner's. */
const leastUid = 1_000

/** A user, and the prefix of a command that runs as it. */
export interface User {
  readonly uid: number
  readonly through: readonly string[]
}

/** The processes of a user, as the kernel lists them. */
export async function processesOfUser(
  uid: number,
  stats?: readonly ProcessStat[],
): Promise<readonly ProcessStat[]> {
  const all = stats ?? (await allStats())
  const owners = await mapBounded(all, ({ pid }) => uidOf(pid))
  return all.filter((_, at) => owners[at] === uid)
}

/** Kills every process of a user, or only looks; returns the pids that are left. */
export async function killUser(user: User, clock: Clock, how: 'kill' | 'look'): Promise<readonly number[]> {
  const deadline = clock.now() + killDeadlineMs
  for (;;) {
    const left = (await processesOfUser(user.uid)).map(({ pid }) => pid)
    if (left.length === 0 || how === 'look' || clock.now() >= deadline) return left
    killAllOf(user)
    await clock.sleep(killRoundMs)
  }
}

/**
 * Signals, as the user, every process that this user may signal: the kernel walks all of them at once, so that a job
 * which forks faster than we look does not escape, and no other user's process can be hit.
 */
export function killAllOf({ uid, through }: User): void {
  const [program, ...first] = through
  if (program === undefined || !(uid >= leastUid)) return // as root it would end the machine
  const guarded = `[ "$(id -u)" = "$1" ] && [ "$1" -ge ${leastUid} ] && kill -9 -1`
  spawnSync(program, [...first, '/bin/sh', '-c', guarded, 'holdfast', String(uid)], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: 'ignore',
    timeout: askDeadlineMs,
  })
}

/** The real user of a process; null where it ended meanwhile. Throws where we lack resources. */
export async function uidOf(pid: number): Promise<number | null> {
  try {
    const uid = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    return uid === undefined ? null : Number(uid)
  } catch (error) {
    if (isLack(error)) throw error
    return null
  }
}
