import { attemptStates } from '../../../src/domain/attempt/index.ts'
import { HoldfastError } from '../../../src/domain/errors/index.ts'
import { jobStates } from '../../../src/domain/job/index.ts'
import { runnerStates } from '../../../src/domain/runner/index.ts'
import type { RowName, State } from './state.ts'

const tables = { job: 'jobs', attempt: 'attempts', runner: 'runners' } as const
const statesOf = { job: jobStates, attempt: attemptStates, runner: runnerStates } as const

/** Whether only a newer version can read a row now. Its state, which that version knows, stands in the row as ever. */
export function isUnreadable(state: Pick<State, 'unreadable'>, kind: RowName['kind'], id: number): boolean {
  return state.unreadable.size > 0 && state.unreadable.has(keyOf({ kind, id }))
}

/** The error for a read of such a row. */
export function unreadableError({ kind, id }: RowName): HoldfastError {
  const where = { table: tables[kind], id, column: 'state' }
  return new HoldfastError('E_LEDGER_ROW', { ...where, got: 'of-tomorrow', expected: statesOf[kind] })
}

/** Throws unless all of these can be read. */
export function mustRead(
  state: Pick<State, 'unreadable'>,
  rows: Partial<Record<RowName['kind'], { readonly id: number } | null>>,
): void {
  if (state.unreadable.size === 0) return
  for (const kind of ['job', 'attempt', 'runner'] as const) {
    const row = rows[kind] ?? null
    if (row !== null && isUnreadable(state, kind, row.id)) throw unreadableError({ kind, id: row.id })
  }
}

/** A write reads its row before. */
export function refuseUnread(before: State, after: State): void {
  for (const of of after.unreadable.values()) {
    const table = tables[of.kind]
    if (before[table].get(of.id)?.state !== after[table].get(of.id)?.state) throw unreadableError(of)
  }
}

export function keyOf({ kind, id }: RowName): string {
  return `${kind} ${id}`
}
