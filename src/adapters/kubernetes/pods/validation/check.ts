import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { JsonMap } from '../json.ts'
import type { PodManifest } from '../pod.ts'
import type { Problem } from '../problem.ts'

/** The input of a check. */
export interface Checked {
  readonly plan: PodPlan
  readonly audience: string
  /** The operator's allowances beyond the baseline (`fleet.allow`). */
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
