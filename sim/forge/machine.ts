import { randomBytes } from 'node:crypto'
import type { Clock } from '../../src/ports/clock.ts'
import type { Entropy } from '../../src/ports/entropy.ts'
import type { Log, LogFields } from '../../src/ports/log.ts'

/** The machine's time, for the forge as a process of its own. */
export const machineClock: Clock = {
  now: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const timer = setTimeout(resolve, delayMs)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        reject(signal.reason)
      })
    }),
  after(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(delayMs, timerMaxMs))
    return () => clearTimeout(timer)
  },
}

/** Longer timers would fire at once; an early one only looks again. */
const timerMaxMs = 2 ** 31 - 1

export const machineEntropy: Entropy = {
  bytes: (count) => new Uint8Array(randomBytes(count)),
  fraction: () => Math.random(),
}

/** One JSON object a line on stderr. */
export function stderrLog(clock: Pick<Clock, 'now'>, bound: LogFields = {}): Log {
  const write = (level: string) => (fields: LogFields, message: string) => {
    const line = { level, time: new Date(clock.now()).toISOString(), ...bound, ...plain(fields), message }
    process.stderr.write(`${JSON.stringify(line)}\n`)
  }
  return {
    debug: () => {},
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => stderrLog(clock, { ...bound, ...fields }),
  }
}

function plain(fields: LogFields): LogFields {
  const entries = Object.entries(fields)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, value instanceof Error ? (value.stack ?? value.message) : value]),
  )
}
