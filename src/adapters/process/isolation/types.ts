/** The user of one runner and the folder that belongs to it. Unless it is shared, nobody else has its number while it lives. */
export interface RunnerUser {
  readonly uid: number
  /** Other runners are the same user: nothing may be ended or removed only because it is this user's. */
  readonly isShared?: true
  /** Its home: working folder, temporary files and, for a moment, its configuration. */
  readonly home: string
  /** The prefix of a command that runs as this user, without groups and without a way to gain rights. */
  readonly through: readonly string[]
}

/** The range of user ids for runners, both ends included. */
export interface UidRange {
  readonly first: number
  readonly last: number
}

/** A user of this machine that all runners are (`runners.runAs`). */
export interface SharedUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** The folder that holds every user's home, the users of runners, and the program that switches to one. */
export interface Isolation {
  readonly folder: string
  readonly range: UidRange
  /** All runners are this user, and the range is its number; null: each is another one of the range. */
  readonly shared: SharedUser | null
  readonly setpriv: string
}

/** Below the user's home. */
export const workFolder = 'work'
export const temporaryFolder = 'tmp'
