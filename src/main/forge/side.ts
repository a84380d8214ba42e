import type { Forge } from '../../ports/forge.ts'
import type { ForgeDeliveries } from '../../ports/forge-deliveries.ts'
import type { Webhooks } from '../../ports/webhooks.ts'

/** The forge whose jobs are served. */
export interface ForgeSide {
  /** Under this name the ledger knows it. */
  readonly installation: string
  readonly kind: 'simulated' | 'github' | 'gitea'
  readonly url: string
  readonly forge: Forge
  readonly webhooks: Webhooks
  /** The forge's list of what it sent us; null: it keeps none. */
  readonly deliveries: ForgeDeliveries | null
  stop(): Promise<void>
}
