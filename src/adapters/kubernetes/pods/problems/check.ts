import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { JsonMap } from '../json.ts'
import type { PodManifest } from '../pod.ts'
import type { Problem } from '../problem.ts'

/** What a check looks at. */
export interface Checked {
  readonly plan: PodPlan
  readonly audience: string
  /** What who runs Holdfast allows beyond the baseline (`fleet.allow`). */
  readonly allow: readonly string[]
  /** Service accounts that no runner has, whatever is allowed. */
  readonly reservedAccounts: readonly string[]
  readonly template: { readonly metadata: JsonMap; readonly spec: JsonMap }
  /** The pod without the template. */
  readonly bare: PodManifest
  /** The pod with it. */
  readonly merged: { readonly metadata: JsonMap; readonly spec: JsonMap }
}

export type Check = (checked: Checked) => readonly Problem[]
