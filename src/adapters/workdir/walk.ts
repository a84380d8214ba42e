import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, lstat, open, opendir } from 'node:fs/promises'
import { systemCodeOf } from '../../domain/reason.ts'
import { type EntryKind, isGitLock, type NotableEntry, type TopEntry } from '../../domain/workdir/index.ts'
import type { Clock } from '../../ports/clock.ts'
import { bounds } from './bounds.ts'
import { cutTexts } from './cuts.ts'
import { readableName } from './readable-name.ts'

interface Walked {
  readonly top: readonly TopEntry[]
  readonly entryCount: number
  readonly notable: readonly NotableEntry[]
  readonly cuts: readonly string[]
}

/**
 * Looks at every entry below a folder. Each directory is opened by its parent's descriptor and without following symlinks, so that a job which
 * exchanges one meanwhile leads nowhere else.
 */
export async function walk(
  folder: FileHandle,
  owner: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<Walked> {
  const until = clock.now() + bounds.readMaxMs
  const walker: Walker = {
    owner,
    device: (await folder.stat({ bigint: true })).dev,
    isLate: () => clock.now() > until,
    signal,
    top: [],
    notable: [],
    cuts: new Set(),
    count: 0,
  }
  await walkFolder(walker, folder, '', 1)
  return { top: walker.top, entryCount: walker.count, notable: walker.notable, cuts: [...walker.cuts] }
}

interface Walker {
  readonly owner: number
  readonly device: bigint
  readonly isLate: () => boolean
  readonly signal: AbortSignal
  readonly top: TopEntry[]
  readonly notable: NotableEntry[]
  readonly cuts: Set<string>
  count: number
}

async function walkFolder(walker: Walker, { fd }: FileHandle, prefix: string, depth: number): Promise<void> {
  const parent = `/proc/self/fd/${fd}`
  // Names keep their bytes: each is one character of latin1.
  for await (const { name } of await opendir(parent, { encoding: 'latin1' })) {
    walker.signal.throwIfAborted()
    const bound = metBound(walker)
    if (bound !== null) {
      walker.cuts.add(bound)
      return
    }
    walker.count += 1
    const bytes = Buffer.from(`${parent}/${name}`, 'latin1')
    const path = prefix + readableName(Buffer.from(name, 'latin1'))
    try {
      const stats = await lstat(bytes, { bigint: true })
      const top = depth === 1 ? walker.top.push(topEntry(path, stats)) - 1 : -1
      const isReadable = !stats.isDirectory() || (await isListable(bytes))
      note(walker, path, stats, isReadable)
      if (!stats.isDirectory() || stats.dev !== walker.device) continue
      const before = walker.count
      if (!isReadable) walker.cuts.add(cutTexts.unlisted)
      else if (depth >= bounds.depthMax) walker.cuts.add(cutTexts.depth)
      else await walkInto(walker, bytes, `${path}/`, depth + 1)
      if (top >= 0 && isReadable && walker.count === before)
        walker.top[top] = { ...topEntry(path, stats), isEmpty: true }
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error
      walker.cuts.add(cutTexts.changed)
    }
  }
}

function topEntry(name: string, stats: BigIntStats): TopEntry {
  return { name, kind: kindOf(stats), id: idOf(stats), changed: String(stats.ctimeNs), isEmpty: false }
}

/** Device and inode. */
export function idOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}

async function walkInto(walker: Walker, folder: Buffer, prefix: string, depth: number): Promise<void> {
  const handle = await open(folder, folderFlags)
  try {
    await walkFolder(walker, handle, prefix, depth)
  } finally {
    await handle.close()
  }
}

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const ownerAll = 0o700
const modeBits = 0o7777

function metBound({ count, notable, top, isLate }: Walker): string | null {
  if (count >= bounds.entriesMax) return cutTexts.size
  if (notable.length >= bounds.notableMax) return cutTexts.notable
  if (top.length >= bounds.topMax) return cutTexts.top
  return isLate() ? cutTexts.time : null
}

function note({ owner, notable }: Walker, path: string, stats: BigIntStats, isReadable: boolean): void {
  const kind = kindOf(stats)
  const [uid, mode] = [Number(stats.uid), Number(stats.mode) & modeBits]
  const isLocked = kind === 'directory' && (mode & ownerAll) !== ownerAll
  if (uid === owner && isReadable && !isLocked && !isGitLock({ path, kind })) return
  notable.push({
    path,
    kind,
    uid,
    mode,
    modifiedAt: Math.floor(Number(stats.mtimeMs) / 1_000) * 1_000,
    isReadable,
  })
}

function kindOf(stats: BigIntStats): EntryKind {
  if (stats.isDirectory()) return 'directory'
  if (stats.isFile()) return 'file'
  return stats.isSymbolicLink() ? 'symlink' : 'other'
}

async function isListable(path: Buffer): Promise<boolean> {
  return access(path, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}
