import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { isLack } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import { allStats, type ProcessStat, someAtOnce } from './stat.ts'

/** A killed process is gone within milliseconds; one that waits for a dead disk may never be. */
const KILL_DEADLINE_MS = 5_000
const KILL_ROUND_MS = 10
const ASK_DEADLINE_MS = 5_000
/** Below are the users of the system itself: none of them is ever a runner's. */
const LEAST_UID = 1_000

/** Which user, and what a command is put behind to run as it. */
export interface User {
  readonly uid: number
  readonly through: readonly string[]
}

/** The processes of a user, by the kernel's word. */
export async function processesOfUser(
  uid: number,
  stats?: readonly ProcessStat[],
): Promise<readonly ProcessStat[]> {
  const all = stats ?? (await allStats())
  const owners = await someAtOnce(all, ({ pid }) => uidOf(pid))
  return all.filter((_, at) => owners[at] === uid)
}

/** Ends everything of a user, or only looks; gives the pids that live on. */
export async function killUser(user: User, clock: Clock, how: 'kill' | 'look'): Promise<readonly number[]> {
  const deadline = clock.now() + KILL_DEADLINE_MS
  for (;;) {
    const left = (await processesOfUser(user.uid)).map(({ pid }) => pid)
    if (left.length === 0 || how === 'look' || clock.now() >= deadline) return left
    killAllOf(user)
    await clock.sleep(KILL_ROUND_MS)
  }
}

/**
 * In the user's own name, to everything that this user may signal: the kernel walks all of it at once, so that what
 * forks faster than we look does not escape, and nobody else can be hit.
 */
export function killAllOf({ uid, through }: User): void {
  const [program, ...first] = through
  if (program === undefined || !(uid >= LEAST_UID)) return // as root it would end the machine
  const guarded = `[ "$(id -u)" = "$1" ] && [ "$1" -ge ${LEAST_UID} ] && kill -9 -1`
  spawnSync(program, [...first, '/bin/sh', '-c', guarded, 'holdfast', String(uid)], {
    ...{ cwd: '/', env: { PATH: '/usr/bin:/bin' }, stdio: 'ignore', timeout: ASK_DEADLINE_MS },
  })
}

/** The real user of a process; null where it ended meanwhile. Throws for what we lack ourselves. */
export async function uidOf(pid: number): Promise<number | null> {
  try {
    const uid = /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
    return uid === undefined ? null : Number(uid)
  } catch (error) {
    if (isLack(error)) throw error
    return null
  }
}
