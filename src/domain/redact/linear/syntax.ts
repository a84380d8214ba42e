import type { Ranges } from './units.ts'

/** A pattern as a tree. */
export type Node =
  | { readonly kind: 'units'; readonly ranges: Ranges }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  /** `max` null: unbounded. */
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number | null }
  | { readonly kind: 'place'; readonly place: Place }

/** An assertion of zero width. */
export type Place = 'start' | 'end' | 'word-edge' | 'no-word-edge'

/** The first problem of a pattern, and its position. */
export class PatternProblem extends Error {
  readonly at: number
  constructor(what: string, at: number) {
    super(what)
    this.at = at
  }
}

/** The position of the parser in a pattern. */
export interface Cursor {
  readonly source: string
  at: number
}
