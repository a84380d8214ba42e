import type { ForgeClient } from './client.ts'

const SEND_EVERY_MS = 1_000
const BATCH_LENGTH_MAX = 32 * 1024
const TOTAL_LENGTH_MAX = 256 * 1024

export interface LogSender {
  add(line: string): void
  /** Sends what is left. */
  end(): Promise<void>
}

/** Sends a job's log to the forge in batches, one at a time, up to a bound. */
export function createLogSender(client: ForgeClient, jobId: number): LogSender {
  let waiting = ''
  let total = 0
  let sending: Promise<void> = Promise.resolve()
  const send = (): void => {
    const batch = waiting.slice(0, BATCH_LENGTH_MAX)
    if (batch === '') return
    waiting = waiting.slice(batch.length)
    sending = sending.then(() => client.sendLog(jobId, batch))
  }
  const timer = setInterval(send, SEND_EVERY_MS)
  return {
    add(line) {
      if (total >= TOTAL_LENGTH_MAX) return
      total += line.length + 1
      waiting += total >= TOTAL_LENGTH_MAX ? 'The log is cut here.\n' : `${line}\n`
      if (waiting.length >= BATCH_LENGTH_MAX) send()
    },
    async end() {
      clearInterval(timer)
      while (waiting !== '') send()
      await sending
    },
  }
}
