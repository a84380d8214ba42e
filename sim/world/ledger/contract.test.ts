import { ledgerContract } from '../../../test/contract/ledger/index.ts'
import { createMemoryLedger } from './index.ts'

/** A clock that goes on by one at each look, so that no two writes share a time. */
function tickingClock(): { now(): number } {
  let at = Date.UTC(2026, 0, 1)
  return {
    now: () => {
      at += 1
      return at
    },
  }
}

function countingBytes(): { bytes(count: number): Uint8Array } {
  let calls = 0
  return {
    bytes: (count) => {
      calls += 1
      return new Uint8Array(count).fill(calls)
    },
  }
}

ledgerContract('in memory', async () => {
  let served: string | null = null
  let bounds = { lostAfterMs: 15 * 60_000, steadyMs: 60_000 }
  const ledger = createMemoryLedger({
    clock: tickingClock(),
    entropy: countingBytes(),
    serves: () => served,
    hostBounds: () => bounds,
  })
  return {
    ledger,
    async serving(installation) {
      served = installation
      return ledger
    },
    async impatient() {
      bounds = { lostAfterMs: 0, steadyMs: 0 }
      return ledger
    },
    async makeUnreadable(of) {
      const undo = ledger.makeUnreadable(of)
      return async () => undo()
    },
    close: async () => {},
  }
})
