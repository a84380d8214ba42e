import { type ErrorEntry, type ErrorParams, errorTable } from '../../src/domain/errors/index.ts'
import { page, table } from './markdown.ts'

/** docs/reference/errors.md */
export function errorsPage(): string {
  const entries = Object.entries(errorTable) as [string, ErrorEntry][]
  const rows = entries.map(([code, entry]) => [
    `\`${code}\``,
    entry.message(names),
    entry.hint,
    String(entry.status),
    String(entry.exitCode),
    entry.retryable ? 'yes' : 'no',
  ])
  return page('Errors', intro, table(['code', 'says', 'what to do', 'HTTP', 'exit', 'may pass'], rows))
}

const intro = `Every error that Holdfast names. The code is stable; the words are for people. "May pass" means that the
same call may succeed later without anybody acting. Over HTTP an error is
\`{"error": {"code", "message", "hint", "retryable"}}\`. Exit code 1 is a defect, 130 and 143 are a second Ctrl-C
or SIGTERM.`

/** Each parameter of a message stands for itself. */
const names = new Proxy({} as ErrorParams, { get: (_, name) => `‹${String(name)}›` })
