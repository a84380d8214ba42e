/** The run of a job, and whether its branch has gone on. */
export interface RunHead {
  readonly isOver: boolean
  /** Null: the forge does not say it. */
  readonly headSha: string | null
  readonly branch: string | null
  /** The commit of a later run on the same branch, where it is another one; null: no such run is known. */
  readonly newerSha: string | null
}
