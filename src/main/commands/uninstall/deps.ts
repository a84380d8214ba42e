import type { Cluster, Leftovers } from '../../../adapters/kubernetes/index.ts'
import type { UninstallOrder } from '../../../cli/index.ts'
import type { Base } from '../../base.ts'

/** The dependencies of an uninstallation. */
export interface UninstallDeps {
  readonly base: Base
  readonly cluster: Cluster
  readonly namespace: string
  readonly look: () => Promise<Leftovers>
  readonly order: UninstallOrder
}
