import { createRequire } from 'node:module'
import { type DestinationStream, type Logger, pino } from 'pino'
import { createRedactor, type Redactor } from '../../domain/redact/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log, LogFields } from '../../ports/log.ts'

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** `auto` is pretty on a terminal and JSON otherwise. */
  readonly format: 'auto' | 'pretty' | 'json'
  readonly clock: Pick<Clock, 'now'>
  /** Hides secrets; by their looks alone unless given. */
  readonly redactor?: Redactor
  /** Whether a terminal gets colours; unless given, it does. */
  readonly color?: boolean
  /** Where lines go, such as process.stderr. */
  readonly stream: DestinationStream & { readonly isTTY?: boolean }
}

/** A log that writes each line at once and nothing that looks like a secret. */
export function createLog(options: LogOptions): Log {
  const { level, format, clock, stream, redactor = createRedactor({}), color = true } = options
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
    isPretty ? prettyStream(stream, isTerminal && color) : stream,
  )
  return wrap(logger, redactor)
}

function prettyStream(stream: DestinationStream, colorize: boolean): DestinationStream {
  const { prettyFactory } = loadPretty()
  const format = prettyFactory({
    colorize,
    messageKey: 'message',
    translateTime: "HH:MM:ss'Z'", // UTC, as everything that is shown
    singleLine: true,
  })
  return { write: (line) => stream.write(format(line)) }
}

/** Loaded only where a person reads along: a server's log is JSON. */
function loadPretty(): typeof import('pino-pretty') {
  return createRequire(import.meta.url)('pino-pretty')
}

function wrap(logger: Logger, redactor: Redactor): Log {
  const write =
    (level: LogOptions['level']) =>
    (fields: LogFields, message: string): void => {
      if (!logger.isLevelEnabled(level)) return
      logger[level](redactor.value(fields), redactor.text(message))
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => wrap(logger.child(redactor.value(fields) as Record<string, unknown>), redactor),
  }
}
