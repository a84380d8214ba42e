import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Clock } from '../../../ports/clock.ts'

export interface GateOptions {
  /** What passes, in the plural, for who is turned away. */
  readonly what: string
  readonly atOnceMax: number
  readonly waitingMax: number
  /** Who stood in line for longer is turned away when his turn comes: he has left by then. */
  readonly waitMaxMs: number
  readonly clock: Pick<Clock, 'now'>
}

/** Lets so many pass at once; the others wait in line, and where the line is full they are to come again. */
export function createGate(options: GateOptions): <T>(work: () => Promise<T>) => Promise<T> {
  const { what, atOnceMax, waitingMax, waitMaxMs, clock } = options
  const line: (() => void)[] = []
  let passing = 0
  const overloaded = (): HoldfastError =>
    new HoldfastError('E_OVERLOADED', { what, max: atOnceMax + waitingMax })

  return async (work) => {
    const cameAt = clock.now()
    if (passing < atOnceMax) passing += 1
    else if (line.length < waitingMax) await new Promise<void>((resolve) => line.push(resolve))
    else throw overloaded()
    try {
      if (clock.now() - cameAt > waitMaxMs) throw overloaded()
      return await work()
    } finally {
      // Whoever is next takes the place over, so that nobody who comes just now gets in between.
      const next = line.shift()
      if (next === undefined) passing -= 1
      else next()
    }
  }
}
