import type { NotableEntry, WorkFolderFacts } from './facts.ts'
import { isPlainName } from './host.ts'

/** An entry that keeps the runner's account from removing something. */
interface Blocking {
  readonly entry: NotableEntry
  /** Whether something in it is known, which cannot be removed; an empty directory could be. */
  readonly isProven: boolean
}

/** The entries of one folder directly in the work folder, sorted by their effect. */
export interface FolderState {
  readonly name: string
  /** Folders whose names begin with an underscore belong to the runner itself: `_temp`, `_actions`, `_tool`. */
  readonly isRepository: boolean
  readonly blocking: readonly Blocking[]
  /** Entries of other accounts that can be removed all the same. */
  readonly residual: readonly NotableEntry[]
  readonly locks: readonly NotableEntry[]
}

const root = 0
const [sticky, otherWriteExecute, groupWriteExecute, ownerAll] = [0o1000, 0o003, 0o030, 0o700]

/** Every folder in the work folder, with what is notable in it. Entries next to them count as folders that are no repositories. */
export function foldersOf({ top, notable }: WorkFolderFacts, ownerUid: number): readonly FolderState[] {
  const byFolder = Map.groupBy(notable, ({ path }) => path.split('/', 1)[0] ?? '')
  const names = new Set([...top.map(({ name }) => name), ...byFolder.keys()])
  const directories = new Set(top.flatMap(({ name, kind }) => (kind === 'directory' ? name : [])))
  return [...names].sort().map((name) => {
    const entries = byFolder.get(name) ?? []
    const blocking = blockingOf(entries, ownerUid)
    const blocked = new Set(blocking.map(({ entry }) => entry.path))
    return {
      name,
      isRepository: directories.has(name) && isPlainName(name) && !name.startsWith('_'),
      blocking,
      residual: entries.filter((entry) => entry.uid !== ownerUid && !isWithin(entry.path, blocked)),
      locks: entries.filter(isGitLock),
    }
  })
}

/** Whether a path is one of these directories, or in one of them. */
function isWithin(path: string, directories: ReadonlySet<string>): boolean {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (directories.has(path.slice(0, end))) return true
  return false
}

/** Whether it is a lock that git makes next to the file it writes. */
export function isGitLock({ path, kind }: Pick<NotableEntry, 'path' | 'kind'>): boolean {
  return kind === 'file' && /(?:^|\/)\.git\/(?:.*\/)?[^/]+\.lock$/s.test(path)
}

/** Modes keep nobody from anything who is root. */
function blockingOf(entries: readonly NotableEntry[], ownerUid: number): Blocking[] {
  if (ownerUid === root) return []
  const parents = new Set(entries.map(({ path }) => path.slice(0, path.lastIndexOf('/'))))
  return entries
    .filter((entry) => entry.kind === 'directory' && !isWritable(entry, ownerUid))
    .map((entry) => ({ entry, isProven: parents.has(entry.path) }))
}

/** Whether the account can remove what is in a directory. Its groups are not known: a group's right counts as its own. */
function isWritable({ uid, mode }: NotableEntry, ownerUid: number): boolean {
  if (uid === ownerUid) return (mode & ownerAll) === ownerAll
  if ((mode & sticky) !== 0) return false
  return [otherWriteExecute, groupWriteExecute].some((bits) => (mode & bits) === bits)
}
