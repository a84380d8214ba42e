import { done, type Loop } from '../../../loop/index.ts'
import type { LedgerClock } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'

export interface ClockDeps {
  readonly ledger: LedgerClock
  readonly log: Log
}

/** The longest that back-offs, holds and looks wait for a time that the ledger's clock had already reached. */
const resyncMs = 5_000

/** Detects that the ledger's clock was set back, and moves waiting deadlines back with it. */
export function clockLoop({ ledger, log }: ClockDeps): Loop {
  return {
    name: 'clock',
    resyncMs,
    wokenBy: () => false,
    async pass() {
      const backMs = await ledger.noteTime()
      if (backMs > 0)
        log.warn({ backMs }, 'the clock of the ledger went back, and what was to happen later with it')
      return done
    },
  }
}
