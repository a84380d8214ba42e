import { done, type Loop } from '../../../loop/index.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'

export interface ClockDeps {
  readonly ledger: Pick<Ledger, 'noteTime'>
  readonly log: Log
}

/** So long at most back-offs, holds and looks wait for a time that the ledger's clock had already reached once. */
const sweepMs = 5_000

/** Sees that the ledger's clock was set back, and lets nothing wait for it. */
export function clockLoop({ ledger, log }: ClockDeps): Loop {
  return {
    name: 'clock',
    sweepMs,
    wokenBy: () => false,
    async pass() {
      const backMs = await ledger.noteTime()
      if (backMs > 0)
        log.warn({ backMs }, 'the clock of the ledger went back, and what was to happen later with it')
      return done
    },
  }
}
