import type { ErrorEntry, ErrorParams } from './entry.ts'
import { type ErrorCode, errorTable } from './table.ts'

/** An error from the table: its code is stable, its message is for people, its cause is kept. */
export class HoldfastError extends Error {
  override readonly name = 'HoldfastError'
  readonly code: ErrorCode
  readonly params: ErrorParams

  constructor(code: ErrorCode, params: ErrorParams = {}, cause?: unknown) {
    super(errorTable[code].message(params), cause === undefined ? undefined : { cause })
    this.code = code
    this.params = params
  }

  get entry(): ErrorEntry {
    return errorTable[this.code]
  }
}

/** Whether an unknown thrown value is the error with this code. */
export function isError(error: unknown, code: ErrorCode): error is HoldfastError {
  return error instanceof HoldfastError && error.code === code
}
