import { HoldfastError } from '../../../domain/errors/index.ts'
import { reasonOf, systemCodeOf } from '../../../domain/reason.ts'

/** Whether the statement may have taken effect although no answer came. */
export type Outcome = 'known' | 'unknown'

/** SQLSTATEs of a server that is going, coming, full of sessions, or no longer the primary. */
const transientStates = ['57P01', '57P02', '57P03', '53300', '25006']
/** The transient SQLSTATEs with which the server says that the statement did not run. */
const refusedStates = ['57P03', '53300', '25006']
const transientSystemErrors = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN'],
  ...['ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'],
]
/** The driver has no codes for these. */
const transientMessages =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Client was closed|not queryable|Cannot use a pool after calling end/
const diskFull = '53100'

/** The SQLSTATE of a server's error, or undefined. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = systemCodeOf(error)
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !transientSystemErrors.includes(code)
    ? code
    : undefined
}

/** The name of the constraint that refused a row. */
export function constraintOf(error: unknown): string | undefined {
  if (!sqlStateOf(error)?.startsWith('23')) return undefined
  return typeof Object(error).constraint === 'string' ? Object(error).constraint : undefined
}

/** Whether the same call may succeed on another connection, or a moment later. */
export function isTransient(error: unknown): boolean {
  const state = sqlStateOf(error)
  if (state !== undefined)
    return transientStates.includes(state) || state.startsWith('08') || isStalePlan(error)
  const code = systemCodeOf(error)
  if (code !== undefined && transientSystemErrors.includes(code)) return true
  return error instanceof Error && transientMessages.test(error.message)
}

/** A lost race between transactions: the server rolled this one back and asks to try again. */
export function isLostRace(error: unknown): boolean {
  return ['40001', '40P01'].includes(sqlStateOf(error) ?? '')
}

/** The server is a standby now: every connection to it is of no use. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === '25006'
}

/** The error for callers. `outcome` says what is known if no answer came after the statement was sent. */
export function ledgerError(error: unknown, outcome: Outcome): unknown {
  if (error instanceof HoldfastError) return error
  if (sqlStateOf(error) === diskFull) {
    return new HoldfastError('E_LEDGER_DISK_FULL', { where: reasonOf(error), lines: [] }, error)
  }
  if (!isTransient(error)) return error
  const didNotRun = refusedStates.includes(sqlStateOf(error) ?? '') || isStalePlan(error)
  const outcomeUnknown = outcome === 'unknown' && !didNotRun
  return new HoldfastError('E_LEDGER_UNAVAILABLE', { reason: databaseReasonOf(error), outcomeUnknown }, error)
}

/** The reason in words for people; system errors of several addresses are one. */
export function databaseReasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return databaseReasonOf(error.errors[0])
  return isReadOnly(error) ? 'the server is read-only (a standby after a fail-over?)' : reasonOf(error)
}

/** A prepared statement met a migration; a fresh connection plans it again. */
function isStalePlan(error: unknown): boolean {
  return sqlStateOf(error) === '0A000' && /cached plan/.test(reasonOf(error))
}
