import type { ForgeClient } from './client.ts'

const sendEveryMs = 1_000
const batchLengthMax = 32 * 1024
const totalLengthMax = 256 * 1024

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
    const batch = waiting.slice(0, batchLengthMax)
    if (batch === '') return
    waiting = waiting.slice(batch.length)
    sending = sending.then(() => client.sendLog(jobId, batch))
  }
  const timer = setInterval(send, sendEveryMs)
  return {
    add(line) {
      if (total >= totalLengthMax) return
      total += line.length + 1
      waiting += total >= totalLengthMax ? 'The log is cut here.\n' : `${line}\n`
      if (waiting.length >= batchLengthMax) send()
    },
    async end() {
      clearInterval(timer)
      while (waiting !== '') send()
      await sending
    },
  }
}
