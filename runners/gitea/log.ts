import type { LogRow, Service } from './service.ts'

const SEND_EVERY_MS = 500
const BATCH_ROWS_MAX = 500
const BATCH_LENGTH_MAX = 256 * 1024
const ROWS_MAX = 100_000
const TOTAL_LENGTH_MAX = 8 * 1024 * 1024
/** While a job runs, a Gitea that restarts is waited for; the rows stay here meanwhile. */
const WHILE_RUNNING_MS = 60_000

export interface JobLog {
  add(line: string): void
  /** How many rows there are so far: where the next one will stand. */
  readonly length: number
  /** Sends all that is left and a last line: Gitea hears that there is no more only together with one. */
  end(lastLine: string, withinMs: number): Promise<void>
  /** Sends nothing more. */
  abandon(): void
}

/** Sends a job's log in order and without loss, one batch at a time, up to a bound that the log itself names. */
export function createLog(service: Service, taskId: string): JobLog {
  const rows: LogRow[] = []
  let size = 0
  let isCut = false
  let acknowledged = 0
  let isSending = false
  let sending: Promise<void> = Promise.resolve()

  const sendBatch = async (withinMs: number, noMore: boolean): Promise<void> => {
    const batch: LogRow[] = []
    let length = 0
    for (const row of rows.slice(acknowledged, acknowledged + BATCH_ROWS_MAX)) {
      length += row.content.length
      if (batch.length > 0 && length > BATCH_LENGTH_MAX) break
      batch.push(row)
    }
    if (batch.length === 0) return
    const isLast = noMore && acknowledged + batch.length === rows.length
    acknowledged = await service.updateLog(taskId, acknowledged, batch, isLast, withinMs)
  }
  const timer = setInterval(() => {
    if (isSending || acknowledged >= rows.length) return
    isSending = true
    // What Gitea does not take stays in line; that it does not know us any more is noticed by the heartbeat.
    sending = sendBatch(WHILE_RUNNING_MS, false)
      .catch(() => {})
      .finally(() => {
        isSending = false
      })
  }, SEND_EVERY_MS)

  return {
    add(line) {
      if (isCut) return
      size += line.length
      isCut = size > TOTAL_LENGTH_MAX || rows.length >= ROWS_MAX
      const content = isCut ? 'The log is longer than this runner sends: it is cut here.' : line
      rows.push({ time: new Date().toISOString(), content })
    },
    get length() {
      return rows.length
    },
    async end(lastLine, withinMs) {
      clearInterval(timer)
      rows.push({ time: new Date().toISOString(), content: lastLine })
      await sending
      const giveUpAt = performance.now() + withinMs
      while (acknowledged < rows.length && performance.now() < giveUpAt) await sendBatch(withinMs, true)
    },
    abandon() {
      clearInterval(timer)
    },
  }
}
