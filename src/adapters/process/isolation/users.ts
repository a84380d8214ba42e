import { createHash } from 'node:crypto'
import { access, lchown, lstat, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { reasonOf, systemCodeOf } from '../../../domain/reason.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import { identityOf, isAlive, killUser, type ProcessIdentity } from '../proc/index.ts'
import { writeRecord } from '../records/index.ts'
import { asUser, throughOf } from './as-user.ts'
import { knownUids } from './known-uids.ts'
import { type Isolation, type RunnerUser, type SharedUser, temporaryFolder, workFolder } from './types.ts'

/** The owner of a user: a runner's folder, and the Holdfast that took it. */
interface Owner {
  readonly runner: string
  readonly takenBy: ProcessIdentity | null
}

const ownerFile = 'owner.json'
const ownerGone = 'owner.gone.json'
const homeFolder = 'home'
const hashLength = 24
/** Folders in which programs leave files outside of their own; only direct entries are read. */
const sharedFolders = ['/tmp', '/var/tmp', '/dev/shm']
/** The number of such files that are removed: they are arguments of one command. */
const outsideMax = 1_000

/** The users of runners on this machine, for one host of runners. Several Holdfasts may share the range. */
export interface RunnerUsers {
  /** Takes a free user without processes for the runner with this folder, or the one that all runners share. */
  take(runnerFolder: string): Promise<RunnerUser>
  /** Gives back a user without processes; throws where one is left, and keeps the user. Of a shared one, its folder. */
  giveBack(user: RunnerUser): Promise<void>
  /** Kills the processes and removes the files of users whose runner is gone, no matter which Holdfast started it. */
  reclaim(): Promise<void>
}

export function createRunnerUsers(
  isolation: Isolation,
  hostFolder: string,
  clock: Clock,
  log: Log,
): RunnerUsers {
  const { folder, range, shared } = isolation
  const userOf = (uid: number): RunnerUser => ({
    uid,
    home: path.join(folder, String(uid), homeFolder),
    through: throughOf(isolation, uid),
  })
  const sharedIn = ({ uid }: SharedUser, name: string): RunnerUser => ({
    ...userOf(uid),
    home: path.join(folder, name, homeFolder),
    isShared: true,
  })

  /** The folder above the home is the claim: only one process of the machine can create it. */
  async function claim(user: RunnerUser, runner: string): Promise<RunnerUser | null> {
    try {
      await mkdir(claimOf(user), { mode: 0o711 })
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return null
      throw error
    }
    try {
      const owner: Owner = { runner, takenBy: identityOf(process.pid) }
      await writeRecord(path.join(claimOf(user), ownerFile), owner)
      if (!user.isShared && (await killUser(user, clock, 'look')).length > 0) {
        log.warn({ uid: user.uid }, 'a user for runners is not free: something else runs as it')
        await rm(claimOf(user), { recursive: true, force: true })
        return null
      }
      await makeHome(user, shared?.gid ?? user.uid)
      return user
    } catch (error) {
      await rm(claimOf(user), { recursive: true, force: true })
      throw error
    }
  }

  async function giveBack(user: RunnerUser): Promise<void> {
    const left = user.isShared ? [] : await killUser(user, clock, 'kill')
    if (left.length > 0) throw new Error(`processes of user ${user.uid} did not end: ${left.join(', ')}`)
    await removeFiles(user, log)
    await rm(path.join(claimOf(user), ownerFile), { force: true })
    await rm(path.join(claimOf(user), ownerGone), { force: true })
    await rmdir(claimOf(user)).catch((error: unknown) => {
      if (systemCodeOf(error) !== 'ENOENT') throw error
    })
  }

  /**
   * Whether the user's runner has no folder any more, and the Holdfast that took it is gone. Users of another live
   * Holdfast are left alone: its folder may just be invisible here.
   */
  async function isForsaken(user: RunnerUser): Promise<boolean> {
    const { runner, takenBy } = JSON.parse(
      await readFile(path.join(claimOf(user), ownerFile), 'utf8'),
    ) as Owner
    const isThere = await access(runner).then(
      () => true,
      (error: unknown) => systemCodeOf(error) !== 'ENOENT',
    )
    if (isThere || isAlive(takenBy)) return false
    if (path.dirname(runner) === hostFolder) return true
    return !user.isShared && (await killUser(user, clock, 'look')).length === 0
  }

  /** The user that a claim is for; null: it is none, or of users that the settings do not have any more. */
  function claimedUser(name: string): RunnerUser | null {
    if (shared !== null) return name.startsWith(sharedPrefix(shared)) ? sharedIn(shared, name) : null
    const uid = Number(name)
    return uid >= range.first && uid <= range.last ? userOf(uid) : null
  }

  return {
    async take(runner) {
      if (shared !== null) {
        const user = await claim(sharedIn(shared, `${sharedPrefix(shared)}${hashOf(runner)}`), runner)
        if (user === null) throw new Error(`the folder of ${runner} for user ${shared.name} is there already`)
        return user
      }
      const size = range.last - range.first + 1
      const taken = await knownUids()
      // Not always the lowest free one: files that an earlier runner left somewhere shall seldom meet the uid's next owner.
      const from = createHash('sha256').update(runner).digest().readUInt32BE() % size
      for (let step = 0; step < size; step++) {
        const uid = range.first + ((from + step) % size)
        if (taken.has(uid)) continue
        const user = await claim(userOf(uid), runner)
        if (user !== null) return user
      }
      throw new Error(`no user is free between ${range.first} and ${range.last} (runners.uids)`)
    },
    giveBack,
    async reclaim() {
      for (const name of await readdir(folder)) {
        const user = claimedUser(name)
        if (user === null) continue
        const { uid } = user
        try {
          if (!(await isForsaken(user))) continue
          // The process that renames the file may kill the rest: two would kill each other's next runner.
          await rename(path.join(claimOf(user), ownerFile), path.join(claimOf(user), ownerGone))
          await giveBack(user)
          log.info({ uid }, 'gave back a user of a runner that is gone')
        } catch (error) {
          if (systemCodeOf(error) !== 'ENOENT')
            log.warn(
              { uid, reason: reasonOf(error) },
              'a user of a runner that is gone could not be given back',
            )
        }
      }
    },
  }
}

function claimOf({ home }: RunnerUser): string {
  return path.dirname(home)
}

/** The beginning of a shared user's claims, with which no claim of a range begins. */
function sharedPrefix({ uid }: SharedUser): string {
  return `shared-${uid}-`
}

function hashOf(runner: string): string {
  return createHash('sha256').update(runner).digest('hex').slice(0, hashLength)
}

/** The home is given away last: who is the same user already could put links there, and lead root elsewhere. */
async function makeHome({ uid, home }: RunnerUser, gid: number): Promise<void> {
  const inside = [path.join(home, workFolder), path.join(home, temporaryFolder)]
  for (const each of [home, ...inside]) await mkdir(each, { mode: 0o700 })
  for (const each of [...inside, home]) await lchown(each, uid, gid)
}

/**
 * Removes files as the user itself, so that no link of a job can lead root elsewhere. Outside of its home, those of a
 * shared user may be a sibling's, and stay.
 */
async function removeFiles({ uid, home, through, isShared }: RunnerUser, log: Log): Promise<void> {
  const outside = isShared
    ? []
    : (await Promise.all(sharedFolders.map((shared) => ownedIn(shared, uid)))).flat()
  const script =
    'home=$1; shift; chmod -R u+rwX -- "$home" "$@" 2> /dev/null; [ $# = 0 ] || rm -rf -- "$@"; find "$home" -mindepth 1 -delete'
  const isThere = await access(home).then(
    () => true,
    () => false,
  )
  const problem = isThere ? await asUser(through, script, home, ...outside.slice(0, outsideMax)) : null
  if (problem !== null)
    log.warn({ uid, reason: problem }, 'files of a runner that ended could not be removed')
  if (outside.length > outsideMax)
    log.warn({ uid, files: outside.length }, 'a runner left more files than are removed')
  await rmdir(home).catch((error: unknown) => {
    if (systemCodeOf(error) !== 'ENOENT') throw error
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
