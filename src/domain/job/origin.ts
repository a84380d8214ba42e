/** The origin of the code that a job runs. A field is absent where the forge has not given it, which proves nothing. */
export interface JobOrigin {
  /** Whether anybody can read its repository; one that is internal to an enterprise is private. */
  readonly visibility?: 'public' | 'private'
  /** Whether the commits of its run are in another repository than the run: those of a fork's pull request. */
  readonly isFork?: boolean
}

/** The origin alone, out of something that has one. */
export function originOf({ visibility, isFork }: JobOrigin): JobOrigin {
  return { ...(visibility !== undefined && { visibility }), ...(isFork !== undefined && { isFork }) }
}
