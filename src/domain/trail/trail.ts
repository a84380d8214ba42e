import { canonicalJson, type Digest } from '../canonical-json.ts'
import type { GateResult, RemedyState } from '../remedy/index.ts'
import type { ApplyState } from '../remedy/managed-apply/index.ts'
import type { Instant } from '../time.ts'

/** The one who did a step. */
export interface Actor {
  readonly kind: 'person' | 'token' | 'controller'
  readonly name: string
}

/** One step of a remedy, before it is chained. */
export interface TrailEntry {
  readonly at: Instant
  readonly actor: Actor
  readonly remedy: string
  /** The plan's hash; null before there is one. */
  readonly plan: string | null
  readonly step: RemedyState | ApplyState
  /** `EphemeralRunner arc-runners/linux-x-runner-1`; null: the run as a whole. */
  readonly subject: string | null
  readonly gates: readonly GateResult[]
  /** The act that is about to be done, or its result, in a sentence. */
  readonly outcome: string
}

/** A step in the chain: its hash covers the row and the hash of the row before. */
export interface TrailRow extends TrailEntry {
  /** From 1. */
  readonly number: number
  readonly previous: string
  readonly hash: string
}

/** The number and hash of the last row, kept in a second place. */
export interface TrailHead {
  readonly count: number
  readonly hash: string
}

/** The head of a trail without rows. */
export const emptyHead: TrailHead = { count: 0, hash: '0'.repeat(64) }

/** The next row of a trail. */
export function chained(entry: TrailEntry, head: TrailHead, digest: Digest): TrailRow {
  const row = { ...entry, number: head.count + 1, previous: head.hash }
  return { ...row, hash: hashOf(row, digest) }
}

export function headOf(rows: readonly TrailRow[]): TrailHead {
  const last = rows.at(-1)
  return last === undefined ? emptyHead : { count: rows.length, hash: last.hash }
}

/**
 * Each place where the rows are not a chain, or not the chain of this head; none: nothing was changed. With `after`, these are
 * the rows that follow ones that were judged before.
 */
export function problemsOf(
  rows: readonly TrailRow[],
  head: TrailHead,
  digest: Digest,
  after: TrailHead = emptyHead,
): readonly string[] {
  let before = after
  const problems: string[] = []
  for (const row of rows) {
    const { hash, ...rest } = row
    if (row.number !== before.count + 1)
      problems.push(
        `row ${row.number} stands where row ${before.count + 1} belongs: one was removed or added`,
      )
    else if (row.previous !== before.hash)
      problems.push(
        `row ${row.number} does not follow the row before it: one of them was changed, removed or added`,
      )
    if (hash !== hashOf(rest, digest))
      problems.push(`row ${row.number} was changed: its hash is not that of its text`)
    before = { count: row.number, hash: row.hash }
  }
  return [...problems, ...headProblems(before, rows, head, after)]
}

function headProblems(
  last: TrailHead,
  rows: readonly TrailRow[],
  head: TrailHead,
  after: TrailHead,
): readonly string[] {
  if (last.count < head.count)
    return [`the last ${head.count - last.count} rows were removed: the head names ${head.count}`]
  const atHead = head.count === after.count ? after : (rows[head.count - after.count - 1] ?? emptyHead)
  if (atHead.hash !== head.hash)
    return [`row ${head.count} is not the one that the head names: the rows were written again`]
  if (last.count > head.count)
    return [
      `${last.count - head.count} rows stand after the head: they were added, or the program ended before it noted them`,
    ]
  return []
}

function hashOf(row: Omit<TrailRow, 'hash'>, digest: Digest): string {
  return digest(canonicalJson(row))
}
