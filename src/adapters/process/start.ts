import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import type { RunnerStart } from '../../ports/runner-host.ts'
import { syncFolder } from '../files/index.ts'
import { createGroups, planGroups } from './cgroup/index.ts'
import type { HostContext, RunnerShape } from './context.ts'
import type { RunnerUser } from './isolation/index.ts'
import { exists } from './look.ts'
import { hostMarker, runnerMarker } from './proc/index.ts'
import {
  filesIn,
  type Layout,
  layoutOf,
  type StartRecord,
  userIn,
  writeRecord,
  writeSynced,
} from './records/index.ts'
import { spawnSupervisor, supervisorReady } from './supervisor.ts'
import type { Watch } from './watch.ts'

/** Folders that are not yet a runner; a crash leaves them, and the next start removes them. */
export const startingPrefix = '.starting-'
/** The environment variable with the path of the secret with which the runner's program authenticates. */
const secretFile = 'HOLDFAST_SECRET_FILE'
/** The environment variable with the user as whom the runner's program runs its job. */
const runAsVariable = 'HOLDFAST_RUN_AS'

/** Starts a runner under its supervisor. Everything that could be orphaned is recorded first. */
export async function startRunner(
  context: HostContext,
  watch: Watch,
  runner: RunnerStart,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted()
  const files = layoutOf(context.folder, runner.name)
  if (await exists(files.folder)) return
  const shape = context.shape(runner.pool)
  const user = await takeUser(context, runner.name, files)
  const record = startRecord(context, runner, shape, files, user)
  if (!(await placedFor(context, files, record, runner.secret))) return
  let child: ChildProcess | undefined
  try {
    if (record.groups !== null) await createGroups(record.groups, shape.limits)
    child = spawnSupervisor(runner.name, files.folder, context)
    watch.follow(record, child)
    await supervisorReady(child, context.clock, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (child?.pid !== undefined && child.kill('SIGKILL')) await once(child, 'exit')
    await watch.settle(runner.name)
    throw new HoldfastError('E_RUNNER_START', { name: runner.name, reason: reasonOf(error) }, error)
  }
}

async function takeUser({ users }: HostContext, name: string, files: Layout): Promise<RunnerUser | null> {
  if (users === null) return null
  return users.take(files.folder).catch((error: unknown) => {
    throw new HoldfastError('E_RUNNER_START', { name, reason: reasonOf(error) }, error)
  })
}

/** Places the runner's folder, and gives its user back where that fails. */
async function placedFor(
  { folder, users }: HostContext,
  files: Layout,
  record: StartRecord,
  secret: string,
): Promise<boolean> {
  const user = userIn(record)
  const giveBack = async (): Promise<void> => {
    if (user !== null) await users?.giveBack(user)
  }
  try {
    const isPlaced = await placeFolder(folder, files, record, secret)
    if (!isPlaced) await giveBack()
    return isPlaced
  } catch (error) {
    await giveBack()
    throw error
  }
}

function startRecord(
  { clock, hostId, cgroups }: HostContext,
  { name, pool }: RunnerStart,
  { command, env, limits, runsJobAsChild = false }: RunnerShape,
  files: Layout,
  user: RunnerUser | null,
): StartRecord {
  const runAs = user === null ? {} : { [runAsVariable]: JSON.stringify(user) }
  const marks = { [runnerMarker]: name, [hostMarker]: hostId, [secretFile]: files.secret }
  return {
    name,
    pool,
    host: hostId,
    requestedAt: clock.now(),
    command,
    env: { ...env, ...marks, ...runAs },
    groups: planGroups(cgroups, name, limits),
    runsJobAsChild,
    ...(isShared(user) ? { sharedUser: user } : { user }),
  }
}

function isShared(user: RunnerUser | null): user is RunnerUser & { readonly isShared: true } {
  return user?.isShared === true
}

/** Creates the runner's folder with its content atomically; false if it exists already. */
async function placeFolder(
  hostFolder: string,
  files: Layout,
  record: StartRecord,
  secret: string,
): Promise<boolean> {
  const draft = filesIn(path.join(hostFolder, `${startingPrefix}${record.name}`))
  try {
    await rm(draft.folder, { recursive: true, force: true })
    await mkdir(draft.folder, { mode: 0o700 })
    await mkdir(draft.work, { mode: 0o700 })
    await writeSynced(draft.secret, secret)
    await writeRecord(draft.start, record)
    await rename(draft.folder, files.folder)
    await syncFolder(hostFolder)
    return true
  } catch (error) {
    await rm(draft.folder, { recursive: true, force: true })
    if (systemCodeOf(error) === 'ENOTEMPTY' || systemCodeOf(error) === 'EEXIST') return false
    throw new HoldfastError('E_HOST_FOLDER', { folder: hostFolder, reason: reasonOf(error) }, error)
  }
}
