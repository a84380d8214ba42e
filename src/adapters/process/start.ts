import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { RunnerStart } from '../../ports/runner-host.ts'
import { createGroups, planGroups } from './cgroup/index.ts'
import type { HostContext, RunnerShape } from './context.ts'
import { exists } from './look.ts'
import { HOST_MARKER, RUNNER_MARKER } from './proc/index.ts'
import {
  codeOf,
  filesIn,
  type Layout,
  layoutOf,
  reasonOf,
  type StartRecord,
  syncFolder,
  writeRecord,
  writeSynced,
} from './records/index.ts'
import { spawnSupervisor, supervisorReady } from './supervisor.ts'
import type { Watch } from './watch.ts'

/** Folders that are not yet a runner; a crash leaves them, and the next start removes them. */
export const STARTING_PREFIX = '.starting-'
/** Where the runner's program finds the secret by which it proves who it is. */
export const SECRET_FILE = 'HOLDFAST_SECRET_FILE'

/** Starts a runner under its supervisor. Whatever could be orphaned has its record first. */
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
  const record = startRecord(context, runner, shape, files)
  if (!(await placeFolder(context.folder, files, record, runner.secret))) return
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

function startRecord(
  { clock, hostId, cgroups }: HostContext,
  { name, pool }: RunnerStart,
  { command, env, limits, runsJobAsChild = false }: RunnerShape,
  files: Layout,
): StartRecord {
  const marks = { [RUNNER_MARKER]: name, [HOST_MARKER]: hostId, [SECRET_FILE]: files.secret }
  return {
    name,
    pool,
    host: hostId,
    requestedAt: clock.now(),
    command,
    env: { ...env, ...marks },
    groups: planGroups(cgroups, name, limits),
    runsJobAsChild,
  }
}

/** Makes the folder with all that belongs into it appear at once; false if there is one already. */
async function placeFolder(
  hostFolder: string,
  files: Layout,
  record: StartRecord,
  secret: string,
): Promise<boolean> {
  const draft = filesIn(path.join(hostFolder, `${STARTING_PREFIX}${record.name}`))
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
    if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') return false
    throw new HoldfastError('E_HOST_FOLDER', { folder: hostFolder, reason: reasonOf(error) }, error)
  }
}
