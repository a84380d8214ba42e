import { type OpenFleet, openFleet } from '../fleet/index.ts'
import { type OpenForge, openForge } from '../forge/index.ts'
import { type OpenLedger, openLedger } from '../ledger/index.ts'

/** How `up` opens the three systems it acts on. A test harness passes its own to stand in for one of their ports. */
export interface Openers {
  readonly ledger: (...given: Parameters<typeof openLedger>) => Promise<OpenLedger>
  readonly forge: (...given: Parameters<typeof openForge>) => Promise<OpenForge>
  readonly fleet: (...given: Parameters<typeof openFleet>) => Promise<OpenFleet>
}

/** The ledger, the forge and the fleet that the configuration names. */
export const configured: Openers = { ledger: openLedger, forge: openForge, fleet: openFleet }
