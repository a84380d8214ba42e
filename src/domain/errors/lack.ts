/** Of these the reader itself has too few. */
const LACKS: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

/** Whether a look failed for what we lack ourselves: it says nothing about the process that was looked for. */
export function isLack(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LACKS.has(error.code)
}
