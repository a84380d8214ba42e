import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Log } from '../../ports/log.ts'

export interface ServerLog {
  write(chunk: string): void
  /** The newest complete lines, for an error that must say what the server said last. */
  lastLines(): string[]
}

const fileBytesMax = 5 * 1024 * 1024 // one old file next to it: 10 MiB at most
const linesKept = 20
const lineCharsMax = 2_000

/** Fatal for a session, but part of every stop and start. */
const ordinary =
  /due to administrator command|database system is (starting up|shutting down|not yet accepting)/

/** The server's stderr: its newest lines in memory, all of it in a file that is rotated when it is full. */
export function openServerLog(file: string, log: Log): ServerLog {
  const lines: string[] = []
  let partial = ''
  let fileWorks = true

  return {
    write(chunk) {
      const parts = (partial + chunk).split('\n')
      partial = (parts.pop() ?? '').slice(-lineCharsMax)
      for (const line of parts) {
        lines.push(line.slice(0, lineCharsMax))
        if (!/ (FATAL|PANIC): /.test(line)) continue
        if (ordinary.test(line)) log.debug({ line }, 'the embedded Postgres reports')
        else log.warn({ line }, 'the embedded Postgres reports')
      }
      lines.splice(0, Math.max(0, lines.length - linesKept))
      append(chunk)
    },
    lastLines: () => (partial === '' ? [...lines] : [...lines, partial]),
  }

  function append(chunk: string): void {
    try {
      turnOver(file)
      appendFileSync(file, chunk, { mode: 0o600 })
      fileWorks = true
    } catch (error) {
      // A full disk must not take the last words with it; say once that the file lacks them.
      if (fileWorks) log.warn({ file, error }, 'the log of the embedded Postgres cannot be written')
      fileWorks = false
    }
  }
}

function turnOver(file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  else if (size > fileBytesMax) renameSync(file, `${file}.1`)
}
