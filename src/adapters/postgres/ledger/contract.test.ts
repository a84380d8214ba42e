import { afterAll } from 'vitest'
import { ledgerContract } from '../../../../test/contract/ledger/index.ts'
import { type LedgerBench, ledgerBench } from '../../../../test/support/ledger.ts'
import { makeUnreadable } from '../../../../test/support/unreadable.ts'

let bench: LedgerBench | undefined
afterAll(() => bench?.[Symbol.asyncDispose]())

/** Emptying a database takes a tenth of the time that making one does. */
ledgerContract('Postgres', async () => {
  bench ??= await ledgerBench()
  await bench.empty()
  const { open } = bench
  const ledger = await open()
  return {
    ledger,
    serving: (serves) => open({ serves }),
    impatient: () => open({ hostLostAfterMs: 0, hostSteadyMs: 0 }),
    makeUnreadable: (of) => makeUnreadable(bench as LedgerBench, of),
    close: async () => ledger[Symbol.asyncDispose](),
  }
})
