import type { FolderTarget } from '../../workdir/index.ts'
import type { HostLook } from '../host/facts.ts'
import type { Plan, PlannedObject } from '../plan.ts'
import type { RemedyFacts } from '../remedy.ts'

/** The folder of one repository that a plan empties or unlocks. */
export interface PlannedFolder extends PlannedObject {
  readonly kind: 'WorkFolder'
  readonly target: FolderTarget
  /** Directories that the runner cannot empty, the first of them by their paths, masked. */
  readonly blocking: { readonly count: number; readonly paths: readonly string[] }
  /** A digest over everything in the work folder but this folder. */
  readonly others: string
}

interface WorkdirScope {
  readonly host: string
  readonly folder: string
}

export type WorkdirPlan = Plan<'workdir-remediate', WorkdirScope, PlannedFolder>

/** The facts of `workdir remediate`, all from the host itself. */
export interface WorkdirFacts extends RemedyFacts {
  readonly plan: WorkdirPlan
  readonly fresh: HostLook
  readonly after: HostLook & {
    /** A digest over everything in the work folder but the treated folder. */
    readonly others: string
  }
  readonly end: HostLook
}
