import type { Instant } from '../../time.ts'
import type { HostJudgement, WorkFolderFacts } from '../../workdir/index.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

/** One look at a host, judged. */
export interface HostLook {
  readonly sources: { readonly host: Instant }
  readonly facts: WorkFolderFacts
  readonly judgement: HostJudgement
  /** A digest over all that was seen of its work folder. */
  readonly version: string
}

/** The service of one runner that a plan starts or stops. */
export interface PlannedHost extends PlannedObject {
  readonly kind: 'RunnerHost'
  readonly rootId: string
  /** Processes of its Listener; none: it does not run. */
  readonly listeners: readonly number[]
}

interface HostScope {
  readonly host: string
}

export type HostPlan = Plan<'host-drain' | 'host-start', HostScope, PlannedHost>

/** The facts of `host drain` and `host start`, all from the host itself. */
export interface HostFacts extends RemedyFacts {
  readonly plan: HostPlan
  readonly fresh: HostLook
  readonly after: HostLook
  readonly end: HostLook
}
