import { createRedactor, type Redactor } from '../domain/redact/index.ts'
import { createClock } from '../platform/clock.ts'
import { type Config, secretValues } from '../platform/config/index.ts'
import { createEntropy } from '../platform/entropy.ts'
import { createLog } from '../platform/log/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Log } from '../ports/log.ts'

/** The dependencies of every role. */
export interface Base {
  readonly config: Config
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  /** Hides secrets in what is logged and stored, also those of the configuration. */
  readonly redactor: Redactor
}

export function createBase(config: Config): Base {
  const clock = createClock()
  const redactor = createRedactor({ patterns: config.redaction.patterns, values: secretValues(config) })
  return {
    config,
    clock,
    entropy: createEntropy(),
    log: createLog({ ...config.log, clock, redactor, color: takesColors(), stream: process.stderr }),
    redactor,
  }
}

function takesColors(): boolean {
  const { NO_COLOR, TERM } = process.env
  return !NO_COLOR && TERM !== 'dumb'
}
