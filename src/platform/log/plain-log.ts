import { redactText, redactValue } from '../../domain/redact/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log, LogFields } from '../../ports/log.ts'
import type { LogOptions } from './log.ts'

const levels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogOptions['level'][]

export interface PlainLogOptions {
  readonly level: LogOptions['level']
  readonly clock: Pick<Clock, 'now'>
  readonly stream: { write(text: string): unknown }
}

/** The same JSON lines as `createLog` writes, for a program that must stay small: it loads no library. */
export function createPlainLog({ level, clock, stream }: PlainLogOptions, base: LogFields = {}): Log {
  const least = levels.indexOf(level)
  const write = (at: LogOptions['level']) => (fields: LogFields, message: string) => {
    if (levels.indexOf(at) < least) return
    const time = new Date(clock.now()).toISOString()
    const shown = redactValue({ ...base, ...fields }) as LogFields
    stream.write(`${JSON.stringify({ level: at, time, ...shown, message: redactText(message) })}\n`)
  }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => createPlainLog({ level, clock, stream }, { ...base, ...fields }),
  }
}
