import { HoldfastError } from '../../domain/errors/index.ts'
import { redactText } from '../../domain/redact/index.ts'

export interface ErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly hint: string
    readonly retryable: boolean
  }
}

/** An error for an HTTP client. What is not from the table is a bug: its words stay in the log. */
export function errorBody(error: unknown): { readonly status: number; readonly body: ErrorBody } {
  const known =
    error instanceof HoldfastError ? error : new HoldfastError('E_BUG', { what: 'the log has the details' })
  const { status, retryable, hint } = known.entry
  return {
    status,
    body: { error: { code: known.code, message: redactText(known.message), hint, retryable } },
  }
}
