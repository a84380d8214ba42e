/**
 * What a list found. A row that this version cannot read was written by a newer one, or by hand. It is there all the
 * same: left out, it would read as "no such row", and the list as a whole must not fail for it.
 */
export interface Listed<Row, Unreadable> {
  readonly rows: readonly Row[]
  /** Whatever is asked for, also those in states that only a newer version knows: they count, and nobody touches them. */
  readonly unreadable: readonly Unreadable[]
}

export interface UnreadableRunner {
  readonly id: number
  readonly name: string
  readonly pool: string
  readonly host: string
  readonly isEnded: boolean
  readonly error: unknown
}

export interface UnreadableJob {
  readonly id: number
  readonly installation: string
  readonly repository: string
  readonly name: string
  readonly isEnded: boolean
  readonly error: unknown
}
