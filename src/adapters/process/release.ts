import { chmod, mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import { removeGroup, removeIfEmpty, uniqueFolders } from './cgroup/index.ts'
import type { HostContext } from './context.ts'
import type { RunnerUser } from './isolation/index.ts'
import { look, tracesOf } from './look.ts'
import { findRemains } from './proc/index.ts'
import { userIn } from './records/index.ts'

/** Folders of released runners; a crash leaves them, and the next start removes them. */
export const releasedFolder = '.released'

/** Removes groups and folder of a runner that ended; refuses while one of its processes lives. */
export async function releaseRunner(context: HostContext, name: string): Promise<void> {
  const found = await look(context, name)
  if (found === null) return
  const pids = (await findRemains(tracesOf(found))).map((stat) => String(stat.pid))
  if (found.shimAlive) pids.unshift(`${found.record?.shim.pid} (its supervisor)`)
  if (pids.length > 0) throw new HoldfastError('E_RUNNER_ALIVE', { name, pids })
  if (!found.ended)
    throw new HoldfastError('E_RUNNER_ALIVE', { name, pids: ['nothing, but it has no ending yet'] })

  context.living.delete(name)
  context.stopReasons.delete(name)
  context.shimExits.delete(name)
  const groups = found.start.groups === null ? [] : uniqueFolders(found.start.groups.folders)
  const current = uniqueFolders(context.cgroups.bases)
  for (const group of groups) {
    const problem = await removeGroup(group)
    if (problem !== null) throw new HoldfastError('E_RUNNER_ALIVE', { name, pids: [`its group: ${problem}`] })
    if (!current.includes(path.dirname(group))) await removeIfEmpty(path.dirname(group)) // an earlier Holdfast's
  }
  const aside = path.join(context.folder, releasedFolder)
  await mkdir(aside, { recursive: true, mode: 0o700 })
  const target = path.join(aside, `${name}-${context.clock.now()}`)
  await rename(found.files.folder, target)
  await removeTree(context, target)
  await giveUserBack(context, name, userIn(found.start))
}

/** A user whose files cannot be removed stays taken: the next start tries again. */
async function giveUserBack(
  { users, log }: HostContext,
  name: string,
  user: RunnerUser | null,
): Promise<void> {
  if (user === null) return
  if (users === null)
    return log.warn({ runner: name, uid: user.uid }, 'the user of a runner stays taken: isolation is off now')
  await users.giveBack(user).catch((error: unknown) => {
    log.warn(
      { runner: name, uid: user.uid, reason: reasonOf(error) },
      'the user of a runner could not be given back',
    )
  })
}

/** Removes a folder, also one whose job removed its own permissions; the next start retries a failure. */
export async function removeTree(context: HostContext, folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(async (error: unknown) => {
      if (systemCodeOf(error) !== 'EACCES' && systemCodeOf(error) !== 'EPERM') throw error
      await openUp(folder)
      await rm(folder, { recursive: true, force: true })
    })
  } catch (error) {
    context.log.warn({ folder, reason: reasonOf(error) }, "a released runner's folder could not be removed")
  }
}

/** Module caches are written read-only: files cannot be removed from their folders. */
async function openUp(folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) await openUp(path.join(folder, entry.name))
  }
}
