import { createClock } from '../../src/platform/clock.ts'
import { createEntropy } from '../../src/platform/entropy.ts'
import type { Log, LogFields } from '../../src/ports/log.ts'

/** Real time and real randomness, for tests on real parts. */
export const clock = createClock()
export const entropy = createEntropy()

export interface RecordedLog extends Log {
  readonly lines: { readonly level: string; readonly message: string; readonly fields: LogFields }[]
  /** Resolves with the first line, past or to come, whose message matches. */
  line(pattern: RegExp): Promise<string>
}

/** A log that tests read, and wait on instead of sleeping. */
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = []
  const waiting = new Set<{ pattern: RegExp; resolve: (message: string) => void }>()
  const at = (level: string) => (fields: LogFields, message: string) => {
    lines.push({ level, message, fields })
    for (const waiter of [...waiting]) {
      if (!waiter.pattern.test(message)) continue
      waiting.delete(waiter)
      waiter.resolve(message)
    }
  }
  const log: RecordedLog = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
    line(pattern) {
      const past = lines.find(({ message }) => pattern.test(message))
      if (past) return Promise.resolve(past.message)
      return new Promise((resolve) => waiting.add({ pattern, resolve }))
    },
  }
  return log
}
