import { readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import type { HostContext } from './context.ts'
import { look } from './look.ts'
import { bootId, findMarked, type ProcessIdentity, type Stray, statOf } from './proc/index.ts'
import { isRunnerName } from './records/index.ts'
import { releasedFolder, removeTree } from './release.ts'
import { startingPrefix } from './start.ts'
import { resumeStop } from './stop.ts'
import type { Watch } from './watch.ts'

const unreadablePrefix = '.unreadable-'

/** Recovers the runners of an earlier Holdfast: adopts live ones, settles ended ones, kills processes without a runner. */
export async function recover(context: HostContext, watch: Watch): Promise<void> {
  const entries = await entriesOf(context.folder)
  await removeDrafts(context, entries)
  const marked = await findMarked(context.hostId)
  const adopted: string[] = []
  for (const name of entries.filter(isRunnerName)) {
    const shim = marked.find((stray) => stray.kind === 'shim' && stray.runner === name)
    if (await recoverRunner(context, watch, name, shim)) adopted.push(name)
  }
  endStrays(context, marked, adopted)
  if (adopted.length > 0) context.log.info({ runners: adopted }, 'adopted runners of an earlier Holdfast')
}

/** The folders in the host's folder. Throws where it cannot be read. */
export async function entriesOf(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  } catch (error) {
    throw new HoldfastError('E_HOST_FOLDER', { folder, reason: reasonOf(error) }, error)
  }
}

async function removeDrafts(context: HostContext, entries: readonly string[]): Promise<void> {
  const drafts = entries.filter((entry) => entry.startsWith(startingPrefix) || entry === releasedFolder)
  for (const draft of drafts) await removeTree(context, path.join(context.folder, draft))
}

/** Whether the runner lives on. */
async function recoverRunner(
  context: HostContext,
  watch: Watch,
  name: string,
  marked: Stray | undefined,
): Promise<boolean> {
  const found = await look(context, name).catch((error: unknown) => reasonOf(error))
  if (found === null || typeof found === 'string') {
    await setAside(context, name, found ?? 'there is no start.json')
    return false
  }
  if (found.ended && !found.shimAlive) return false
  const shim = found.shimAlive ? (found.record?.shim ?? null) : starting(marked)
  if (shim === null) {
    await watch.settle(name)
    return false
  }
  watch.adopt({ start: found.start, shim })
  watch.background(`going on with the stop of ${name}`, resumeStop(context, watch, found))
  return true
}

/** Moves invalid records out of the way and keeps them for the operator: one broken runner must not stop all others. */
async function setAside(context: HostContext, name: string, reason: string): Promise<void> {
  const from = path.join(context.folder, name)
  const to = path.join(context.folder, `${unreadablePrefix}${name}-${context.clock.now()}`)
  context.log.error(
    { runner: name, reason, movedTo: to },
    "a runner's records are not readable; what runs of it is ended",
  )
  await rename(from, to)
}

/** A supervisor that was started in Holdfast's last moment and has not written its record yet. */
function starting(marked: Stray | undefined): ProcessIdentity | null {
  if (marked === undefined) return null
  return { pid: marked.process.pid, startTicks: marked.process.startTicks, bootId: bootId() }
}

/** Kills processes with our mark that belong to no adopted runner: they have no record to which an end could be written. */
function endStrays({ log }: HostContext, marked: readonly Stray[], adopted: readonly string[]): void {
  for (const { runner, kind, process: stray } of marked) {
    if (adopted.includes(runner)) continue
    if (statOf(stray.pid)?.startTicks !== stray.startTicks) continue
    log.warn({ runner, kind, pid: stray.pid }, 'killing a process that an earlier runner left')
    try {
      process.kill(stray.pid, 'SIGKILL')
    } catch {
      // ended meanwhile
    }
  }
}
