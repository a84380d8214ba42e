import type { LogRow, Service } from './service.ts'

const sendEveryMs = 500
const batchRowsMax = 500
const batchLengthMax = 256 * 1024
const rowsMax = 100_000
const totalLengthMax = 8 * 1024 * 1024
/** How long a batch is retried while a job runs, as when Gitea restarts; the rows stay here meanwhile. */
const whileRunningMs = 60_000

export interface JobLog {
  add(line: string): void
  /** How many rows there are so far: where the next one will stand. */
  readonly length: number
  /** Sends the remaining rows and a last line: Gitea takes the end of the log only together with a row. */
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
    for (const row of rows.slice(acknowledged, acknowledged + batchRowsMax)) {
      length += row.content.length
      if (batch.length > 0 && length > batchLengthMax) break
      batch.push(row)
    }
    if (batch.length === 0) return
    const isLast = noMore && acknowledged + batch.length === rows.length
    acknowledged = await service.updateLog(taskId, acknowledged, batch, isLast, withinMs)
  }
  const timer = setInterval(() => {
    if (isSending || acknowledged >= rows.length) return
    isSending = true
    // Rows that Gitea does not take stay queued; the heartbeat notices that Gitea does not know this runner any more.
    sending = sendBatch(whileRunningMs, false)
      .catch(() => {})
      .finally(() => {
        isSending = false
      })
  }, sendEveryMs)

  return {
    add(line) {
      if (isCut) return
      size += line.length
      isCut = size > totalLengthMax || rows.length >= rowsMax
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
