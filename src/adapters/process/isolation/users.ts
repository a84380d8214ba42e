import { createHash } from 'node:crypto'
import { access, chown, lstat, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { identityOf, isAlive, killUser, type ProcessIdentity } from '../proc/index.ts'
import { codeOf, reasonOf, writeRecord } from '../records/index.ts'
import { asUser, throughOf } from './as-user.ts'
import { knownUids } from './known-uids.ts'
import { type Isolation, type RunnerUser, TEMPORARY_FOLDER, WORK_FOLDER } from './types.ts'

/** Whose the user is: the runner's folder of the Holdfast that took it. */
interface Owner {
  readonly runner: string
  readonly takenBy: ProcessIdentity | null
}

const OWNER = 'owner.json'
const OWNER_GONE = 'owner.gone.json'
const HOME = 'home'
/** Where programs leave files beside their own folder; only what lies directly there is looked at. */
const SHARED_FOLDERS = ['/tmp', '/var/tmp', '/dev/shm']
/** Of these so many: they are arguments of one command. */
const OUTSIDE_MAX = 1_000

/** The users of runners on this machine, for one host of runners. Several Holdfasts may share the range. */
export interface RunnerUsers {
  /** Takes a user that nobody has, and of whom nothing lives, for the runner with this folder. */
  take(runnerFolder: string): Promise<RunnerUser>
  /** Gives a user back of whom nothing lives any more; throws where something does, and keeps it. */
  giveBack(user: RunnerUser): Promise<void>
  /** Ends and removes what is left of users whose runner is gone, whoever had started it. */
  reclaim(): Promise<void>
}

export function createRunnerUsers(
  isolation: Isolation,
  hostFolder: string,
  clock: Clock,
  log: Log,
): RunnerUsers {
  const { folder, range } = isolation
  const claimOf = (uid: number): string => path.join(folder, String(uid))
  const userOf = (uid: number): RunnerUser => ({
    uid,
    home: path.join(claimOf(uid), HOME),
    through: throughOf(isolation, uid),
  })

  /** The folder of the number is the claim: it is made by one process only, on the whole machine. */
  async function claim(uid: number, runner: string): Promise<RunnerUser | null> {
    try {
      await mkdir(claimOf(uid), { mode: 0o711 })
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return null
      throw error
    }
    const user = userOf(uid)
    try {
      const owner: Owner = { runner, takenBy: identityOf(process.pid) }
      await writeRecord(path.join(claimOf(uid), OWNER), owner)
      if ((await killUser(user, clock, 'look')).length > 0) {
        log.warn({ uid }, 'a user for runners is not free: something else runs as it')
        await rm(claimOf(uid), { recursive: true, force: true })
        return null
      }
      for (const each of [
        user.home,
        path.join(user.home, WORK_FOLDER),
        path.join(user.home, TEMPORARY_FOLDER),
      ]) {
        await mkdir(each, { mode: 0o700 })
        await chown(each, uid, uid)
      }
      return user
    } catch (error) {
      await rm(claimOf(uid), { recursive: true, force: true })
      throw error
    }
  }

  async function giveBack(user: RunnerUser): Promise<void> {
    const left = await killUser(user, clock, 'kill')
    if (left.length > 0) throw new Error(`processes of user ${user.uid} did not end: ${left.join(', ')}`)
    await removeFiles(user, log)
    await rm(path.join(claimOf(user.uid), OWNER), { force: true })
    await rm(path.join(claimOf(user.uid), OWNER_GONE), { force: true })
    await rmdir(claimOf(user.uid)).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  }

  /**
   * Whether its runner has no folder any more, and nobody lives who could be about to make one. Of another Holdfast's
   * nothing is ended: its folder may be out of sight only.
   */
  async function isForsaken(uid: number): Promise<boolean> {
    const { runner, takenBy } = JSON.parse(await readFile(path.join(claimOf(uid), OWNER), 'utf8')) as Owner
    const isThere = await access(runner).then(
      () => true,
      (error: unknown) => codeOf(error) !== 'ENOENT',
    )
    if (isThere || isAlive(takenBy)) return false
    return path.dirname(runner) === hostFolder || (await killUser(userOf(uid), clock, 'look')).length === 0
  }

  return {
    async take(runner) {
      const size = range.last - range.first + 1
      const taken = await knownUids()
      // Not always the lowest free one: what an earlier runner left somewhere shall seldom meet its next owner.
      const from = createHash('sha256').update(runner).digest().readUInt32BE() % size
      for (let step = 0; step < size; step++) {
        const uid = range.first + ((from + step) % size)
        if (taken.has(uid)) continue
        const user = await claim(uid, runner)
        if (user !== null) return user
      }
      throw new Error(`no user is free between ${range.first} and ${range.last} (runners.uids)`)
    },
    giveBack,
    async reclaim() {
      for (const name of await readdir(folder)) {
        const uid = Number(name)
        if (!(uid >= range.first && uid <= range.last)) continue
        try {
          if (!(await isForsaken(uid))) continue
          // Who renames it is the one that may end the rest: two would end each other's next runner.
          await rename(path.join(claimOf(uid), OWNER), path.join(claimOf(uid), OWNER_GONE))
          await giveBack(userOf(uid))
          log.info({ uid }, 'gave back a user of a runner that is gone')
        } catch (error) {
          if (codeOf(error) !== 'ENOENT')
            log.warn(
              { uid, reason: reasonOf(error) },
              'a user of a runner that is gone could not be given back',
            )
        }
      }
    },
  }
}

/** In the user's own name: nothing that a job laid out can lead root elsewhere. */
async function removeFiles({ uid, home, through }: RunnerUser, log: Log): Promise<void> {
  const outside = (await Promise.all(SHARED_FOLDERS.map((shared) => ownedIn(shared, uid)))).flat()
  const script =
    'home=$1; shift; chmod -R u+rwX -- "$home" "$@" 2> /dev/null; [ $# = 0 ] || rm -rf -- "$@"; find "$home" -mindepth 1 -delete'
  const isThere = await access(home).then(
    () => true,
    () => false,
  )
  const problem = isThere ? await asUser(through, script, home, ...outside.slice(0, OUTSIDE_MAX)) : null
  if (problem !== null)
    log.warn({ uid, reason: problem }, 'files of a runner that ended could not be removed')
  if (outside.length > OUTSIDE_MAX)
    log.warn({ uid, files: outside.length }, 'a runner left more files than are removed')
  await rmdir(home).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error
  })
}

async function ownedIn(folder: string, uid: number): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const files = names.map((name) => path.join(folder, name))
  const owners = await Promise.all(
    files.map((file) =>
      lstat(file).then(
        ({ uid: owner }) => owner,
        () => null,
      ),
    ),
  )
  return files.filter((_, at) => owners[at] === uid)
}
