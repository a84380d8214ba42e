import type { PodPlan } from '../../../domain/pool/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterReader, ClusterWriter } from '../../../ports/cluster.ts'
import type { Log } from '../../../ports/log.ts'
import type { PodEvents, PodLogs } from '../client/index.ts'
import type { PodSite } from '../pods/index.ts'
import type { Prototype } from './prototype.ts'
import type { HostState } from './watch/host-state.ts'
import type { Views } from './watch/views.ts'

/** The dependencies of every action of the host. */
export interface HostContext {
  readonly site: PodSite
  readonly reader: ClusterReader
  /** The leader's; throws E_CLUSTER_NOT_LEADER where we do not lead. */
  readonly writer: () => ClusterWriter
  readonly logs: PodLogs
  readonly events: PodEvents
  readonly plan: (pool: string) => PodPlan | undefined
  readonly prototypeOf: (plan: PodPlan) => Prototype
  readonly clock: Clock
  readonly log: Log
  readonly views: Views
  readonly state: HostState
}
