/** Error codes for a shortage of our own process. */
const lacks: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/** Whether a read failed for a shortage of our own process: then it says nothing about its subject. */
export function isLack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && lacks.has(error.code)
}
