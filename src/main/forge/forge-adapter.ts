import type { SharedBudget } from '../../budget/index.ts'
import type { ForgeKindName } from '../../domain/forge/index.ts'
import type { ForgeSecrets } from '../../platform/config/index.ts'
import type { Network } from '../../platform/network/index.ts'
import type { Forge } from '../../ports/forge.ts'
import type { ForgeDeliveries } from '../../ports/forge-deliveries.ts'
import type { Ledger } from '../../ports/ledger.ts'
import type { Webhooks } from '../../ports/webhooks.ts'

/** The forge whose jobs are served. */
export interface ForgeAdapter {
  /** The ledger's name of it. */
  readonly installation: string
  readonly kind: ForgeKindName
  readonly url: string
  readonly forge: Forge
  readonly webhooks: Webhooks
  /** The forge's list of the webhooks it sent us; null: it keeps none. */
  readonly deliveries: ForgeDeliveries | null
  stop(): Promise<void>
}

/** The dependencies of every kind of forge. */
export interface ForgeDeps {
  readonly installation: string
  readonly ledger: Ledger
  readonly budget: SharedBudget
  /** Where the forge's webhooks reach Holdfast. */
  readonly webhookUrl: string
  /** The token of the simulated forge, unless the settings have one. */
  readonly operatorToken: string
  /** The forge's current secrets: their files may change at run time. */
  readonly secrets: () => ForgeSecrets
  readonly dispatcher: Network['dispatcher']
}
