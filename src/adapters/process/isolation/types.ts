/** The user of one runner: a number that nobody else has while it lives, and the folder that belongs to it. */
export interface RunnerUser {
  readonly uid: number
  /** Its home: working folder, temporary files and, for a moment, its configuration. */
  readonly home: string
  /** What a command is put behind to run as this user, without groups and without a way to gain rights. */
  readonly through: readonly string[]
}

/** From which numbers users are taken, both ends included. */
export interface UidRange {
  readonly first: number
  readonly last: number
}

/** Where every user has its folder, and what gives a command its user. */
export interface Isolation {
  readonly folder: string
  readonly range: UidRange
  readonly setpriv: string
}

/** Below the user's home. */
export const WORK_FOLDER = 'work'
export const TEMPORARY_FOLDER = 'tmp'
