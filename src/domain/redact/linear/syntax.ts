import type { Ranges } from './units.ts'

/** A pattern as a tree. */
export type Node =
  | { readonly kind: 'units'; readonly ranges: Ranges }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | { readonly kind: 'choice'; readonly options: readonly Node[] }
  /** `max` null: as often as there is. */
  | { readonly kind: 'repeat'; readonly of: Node; readonly min: number; readonly max: number | null }
  | { readonly kind: 'place'; readonly place: Place }

/** What stands for no character. */
export type Place = 'start' | 'end' | 'word-edge' | 'no-word-edge'

/** What is wrong with a pattern, and at which character of it. */
export class PatternProblem extends Error {
  readonly at: number
  constructor(what: string, at: number) {
    super(what)
    this.at = at
  }
}

/** Where the reader of a pattern is. */
export interface Cursor {
  readonly source: string
  at: number
}
