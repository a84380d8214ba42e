import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'

export interface ConcurrencyLimitOptions {
  /** The name of the limited calls, in the plural, for the error. */
  readonly subject: string
  readonly atOnceMax: number
  readonly waitingMax: number
  /** A call that waited longer is refused when its turn comes: its client has left by then. */
  readonly waitMaxMs: number
  readonly clock: Pick<Clock, 'now'>
}

/** Runs so many calls at once; others wait in line, and where the line is full they are refused. */
export function createConcurrencyLimit(
  options: ConcurrencyLimitOptions,
): <T>(work: () => Promise<T>) => Promise<T> {
  const { subject, atOnceMax, waitingMax, waitMaxMs, clock } = options
  const line: (() => void)[] = []
  let passing = 0
  const overloaded = (): HoldfastError =>
    new HoldfastError('E_OVERLOADED', { what: subject, max: atOnceMax + waitingMax })

  return async (work) => {
    const cameAt = clock.now()
    if (passing < atOnceMax) passing += 1
    else if (line.length < waitingMax) await new Promise<void>((resolve) => line.push(resolve))
    else throw overloaded()
    try {
      if (clock.now() - cameAt > waitMaxMs) throw overloaded()
      return await work()
    } finally {
      // The next in line takes the place over, so that no newcomer gets in between.
      const next = line.shift()
      if (next === undefined) passing -= 1
      else next()
    }
  }
}
