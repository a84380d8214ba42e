import { type Redactor, redactBareTokens } from '../../domain/redact/index.ts'

/** Most of a job's log that one answer holds: its newest part. */
const logCharsMax = 1024 * 1024

/** A job's log as it may leave us: its newest part, from the beginning of a line, without secrets. */
export function logText(log: string, redactor: Pick<Redactor, 'text'>): string {
  const tail = log.length <= logCharsMax ? log : newestLines(log)
  return redactBareTokens(redactor.text(tail, logCharsMax))
}

function newestLines(log: string): string {
  const cut = log.slice(-logCharsMax)
  const lineAt = cut.indexOf('\n') + 1
  return cut.slice(lineAt)
}
