import { type DestinationStream, type Logger, pino } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { redactText, redactValue } from '../../domain/redact/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log, LogFields } from '../../ports/log.ts'

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** `auto` is pretty on a terminal and JSON otherwise. */
  readonly format: 'auto' | 'pretty' | 'json'
  readonly clock: Pick<Clock, 'now'>
  /** Where lines go, such as process.stderr. */
  readonly stream: DestinationStream & { readonly isTTY?: boolean }
}

/** A log that writes each line at once and nothing that looks like a secret. */
export function createLog({ level, format, clock, stream }: LogOptions): Log {
  const isTerminal = stream.isTTY === true
  const isPretty = format === 'pretty' || (format === 'auto' && isTerminal)
  const logger = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      // The line is plain data already: pino's own handling of `err` would see no Error any more.
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }) },
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
    },
    isPretty ? prettyStream(stream, isTerminal) : stream,
  )
  return wrap(logger)
}

function prettyStream(stream: DestinationStream, colorize: boolean): DestinationStream {
  const format = prettyFactory({
    colorize,
    messageKey: 'message',
    translateTime: 'HH:MM:ss',
    singleLine: true,
  })
  return { write: (line) => stream.write(format(line)) }
}

function wrap(logger: Logger): Log {
  const write =
    (level: LogOptions['level']) =>
    (fields: LogFields, message: string): void => {
      if (!logger.isLevelEnabled(level)) return
      logger[level](redactValue(fields), redactText(message))
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(logger.child(redactValue(fields) as Record<string, unknown>)),
  }
}
