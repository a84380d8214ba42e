/** The text of an unknown thrown value, for a sentence; its code or name where it has no message. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || systemCodeOf(error) || error.name : String(error)
}

/** The code of a failed system call, such as `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** The reason of a failed `fetch`, which Node hides in the cause. */
export function fetchReasonOf(error: unknown): string {
  const isHidden = error instanceof Error && error.message === 'fetch failed' && error.cause instanceof Error
  return isHidden ? (systemCodeOf(error.cause) ?? reasonOf(error.cause)) : reasonOf(error)
}
