/** `remove` empties the folder. `unlock` gives the runner's account its own bits back on its directories, and changes nothing else. */
export const folderModes = ['remove', 'unlock'] as const
export type FolderMode = (typeof folderModes)[number]

/** Device and inode of each folder on the way. */
interface FolderIds {
  readonly root: string
  readonly work: string
  readonly folder: string
}

/** One folder of a repository, exactly as it was judged. */
export interface FolderTarget {
  readonly folder: string
  readonly mode: FolderMode
  readonly ids: FolderIds
  /** The account that runs jobs. */
  readonly ownerUid: number
}

/** The service of a runner, exactly as it was judged. */
export interface ServiceTarget {
  readonly verb: 'start' | 'stop'
  readonly rootId: string
  /** Processes of its Listener, in order; none: it does not run. */
  readonly listeners: readonly number[]
}
