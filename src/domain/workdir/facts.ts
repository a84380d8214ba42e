import type { Instant } from '../time.ts'

export type EntryKind = 'directory' | 'file' | 'symlink' | 'other'

/** An entry that is not as a job of the runner's account leaves it, or a lock of git. */
export interface NotableEntry {
  /** Below the work folder, for people: control characters and bytes that are no UTF-8 are escaped. */
  readonly path: string
  readonly kind: EntryKind
  readonly uid: number
  /** Permission bits: `0o755`. */
  readonly mode: number
  /** By the host's clock. */
  readonly modifiedAt: Instant
  /** Whether the account that looked could list it; true for everything but directories. */
  readonly isReadable: boolean
}

/** An entry directly in the work folder. */
export interface TopEntry {
  readonly name: string
  readonly kind: EntryKind
  /** Device and inode: `64769:131`. */
  readonly id: string
  /** When its owner, mode or list of entries changed last, as the file system has it; compared and not read. */
  readonly changed: string
  /** Whether it is a directory in which nothing was seen. */
  readonly isEmpty: boolean
}

/** A process that is named like a part of the runner. */
export interface RunnerProcess {
  readonly pid: number
  readonly role: 'worker' | 'listener'
  readonly uid: number
  /** The program as its command line names it, for people; null: not readable. */
  readonly program: string | null
  /** `elsewhere` only where its program is a file of this machine outside the root. */
  readonly place: 'here' | 'elsewhere' | 'unknown'
}

export interface FolderSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  readonly freeInodes: number
  /** 0 where the file system counts none. */
  readonly totalInodes: number
}

/** The work folder itself. */
export type WorkFolderState =
  | {
      readonly kind: 'folder'
      readonly uid: number
      /** Device and inode, as of entries. */
      readonly id: string
      /** The declared root: its device and inode, and its path without symlinks. */
      readonly root: { readonly id: string; readonly path: string }
    }
  /** A symlink is not followed. */
  | { readonly kind: 'missing' | 'symlink' | 'unreadable' }

/** The facts of one look at a host's work folder. */
export interface WorkFolderFacts {
  /** By the host's clock, as ages of entries are. */
  readonly at: Instant
  readonly readerUid: number
  readonly folder: WorkFolderState
  readonly top: readonly TopEntry[]
  /** Entries that were looked at, notable or not. */
  readonly entryCount: number
  readonly notable: readonly NotableEntry[]
  /** Why not every entry was looked at; empty: all were. */
  readonly cuts: readonly string[]
  /** Seen before or after the entries were read. */
  readonly processes: readonly RunnerProcess[]
  /** Whether processes of all users could be seen, both times. */
  readonly areProcessesWhole: boolean
  /** Null: not readable. */
  readonly space: FolderSpace | null
}

/** A host that was looked at, or why it was not. */
export type HostReading =
  | { readonly kind: 'read'; readonly facts: WorkFolderFacts }
  | {
      readonly kind: 'unreachable'
      readonly why: string
      /** The thing that would help; null where nothing is known to. */
      readonly needs: string | null
    }
