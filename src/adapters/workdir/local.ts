import { constants } from 'node:fs'
import { type FileHandle, lstat, open, realpath, statfs } from 'node:fs/promises'
import { reasonOf, systemCodeOf } from '../../domain/reason.ts'
import type {
  FolderSpace,
  HostReading,
  WorkFolderFacts,
  WorkFolderState,
} from '../../domain/workdir/index.ts'
import { isPlainName, isPlainPath } from '../../domain/workdir/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunnerHosts } from '../../ports/runner-hosts.ts'
import { readProcesses } from './processes.ts'
import { idOf, walk } from './walk.ts'

/** Work folders of this machine (Linux). */
export function createLocalHosts({ clock }: { readonly clock: Clock }): RunnerHosts {
  return {
    async look({ root, workFolder, ownerUid }, signal): Promise<HostReading> {
      signal.throwIfAborted()
      if (!isPlainPath(root) || !isPlainName(workFolder))
        return { kind: 'unreachable', why: 'it is not declared in a form that is safe to use', needs: null }
      try {
        return { kind: 'read', facts: await look(root, workFolder, ownerUid, clock, signal) }
      } catch (error) {
        signal.throwIfAborted()
        return { kind: 'unreachable', why: `this machine: ${reasonOf(error)}`, needs: 'Linux with /proc' }
      }
    },
  }
}

async function look(
  root: string,
  workFolder: string,
  ownerUid: number | null,
  clock: Clock,
  signal: AbortSignal,
): Promise<WorkFolderFacts> {
  const base = { at: clock.now(), readerUid: process.geteuid?.() ?? 0 }
  const opened = await openFolder(`${root}/${workFolder}`)
  if (!('handle' in opened))
    return {
      ...base,
      folder: opened,
      top: [],
      entryCount: 0,
      notable: [],
      cuts: [],
      processes: [],
      areProcessesWhole: false,
      space: null,
    }
  const { handle, uid, id } = opened
  try {
    const realRoot = await realpath(root)
    const rootId = idOf(await lstat(realRoot, { bigint: true }))
    const space = await spaceOf(handle)
    const before = await readProcesses(realRoot)
    const entries = await walk(handle, ownerUid ?? uid, clock, signal)
    const after = await readProcesses(realRoot)
    return {
      ...base,
      folder: { kind: 'folder', uid, id, root: { id: rootId, path: realRoot } },
      space,
      ...entries,
      processes: [...new Map([...before.seen, ...after.seen].map((each) => [each.pid, each])).values()],
      areProcessesWhole: before.isWhole && after.isWhole,
    }
  } finally {
    await handle.close()
  }
}

/** The last part of the path is no symlink; those before it are the declaration's own. */
const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

async function openFolder(
  path: string,
): Promise<
  | Exclude<WorkFolderState, { kind: 'folder' }>
  | { readonly handle: FileHandle; readonly uid: number; readonly id: string }
> {
  try {
    const handle = await open(path, folderFlags)
    const stats = await handle.stat({ bigint: true })
    return { handle, uid: Number(stats.uid), id: idOf(stats) }
  } catch (error) {
    const code = systemCodeOf(error)
    if (code === 'EACCES' || code === 'EPERM') return { kind: 'unreadable' }
    if (code === 'ENOENT') return { kind: 'missing' }
    if (code === 'ELOOP' || code === 'ENOTDIR')
      return { kind: (await lstat(path).catch(() => null))?.isSymbolicLink() ? 'symlink' : 'missing' }
    throw error
  }
}

async function spaceOf({ fd }: FileHandle): Promise<FolderSpace | null> {
  try {
    const { bsize, bavail, blocks, ffree, files } = await statfs(`/proc/self/fd/${fd}`)
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize, freeInodes: ffree, totalInodes: files }
  } catch {
    return null
  }
}
