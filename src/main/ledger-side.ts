import { type ForgeServer, nameInstallation, openLedger } from '../adapters/postgres/ledger/index.ts'
import { toPool } from '../platform/config/index.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Base } from './base.ts'
import { operatorToken } from './kept-random.ts'
import { type Keys, openKeys } from './keys.ts'
import { maskedLedger } from './masked-ledger.ts'
import { prepareLedger } from './prepare-ledger.ts'
import { openStore, type Store } from './store.ts'

/** The ledger, ready to be used, and what it stands on. */
export interface LedgerSide {
  readonly ledger: Ledger
  /** The name under which it has the served forge. */
  readonly installation: string
  readonly keys: Keys
  readonly operatorToken: string
  readonly database: Store['kind']
  stop(): Promise<void>
  /** For a program that cannot wait; gives whether a server of ours was told to end. */
  endNow(): boolean
}

/** `server`: the forge whose jobs are given out and looked at. */
export async function openLedgerSide(
  base: Base,
  server: ForgeServer,
  signal: AbortSignal,
): Promise<LedgerSide> {
  const { config } = base
  const token = await operatorToken(base)
  const store = await openStore(base, signal)
  try {
    await prepareLedger(base, store, { signal })
    const keys = await openKeys(base)
    const { name: installation, isNew } = await nameInstallation(store.database, server)
    if (isNew)
      base.log.info({ installation, address: server.address }, 'the ledger has this forge by this name')
    const ledger = await openLedger({
      ...base,
      ...store,
      serves: installation,
      hostLostAfterMs: config.recovery.hostLostAfterMs,
      staleQueuedAfterMs: config.recovery.staleQueuedAfterMs,
    })
    if (config.fleet.kind === 'local') {
      await ledger.putPools(config.pools.map(toPool), { source: 'operator' })
    }
    return {
      ledger: maskedLedger<Ledger>(ledger, base.redactor),
      installation,
      keys,
      operatorToken: token,
      database: store.kind,
      endNow: store.endNow,
      async stop() {
        await ledger[Symbol.asyncDispose]()
        await store.stop()
      },
    }
  } catch (error) {
    await store.stop()
    throw error
  }
}
