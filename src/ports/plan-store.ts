import type { AnyPlan } from '../domain/remedy/index.ts'

/** Plans of remedies by their hash, for as long as a reader of the trail may ask for them; the newest are kept. */
export interface PlanStore {
  /** Resolves once the plan survives a power cut. To write the same one again changes nothing. */
  write(hash: string, plan: AnyPlan): Promise<void>
  /** Exactly the plan of this hash. Throws E_PLAN_UNKNOWN and E_PLAN_DAMAGED. */
  read(hash: string): Promise<AnyPlan>
}

/** A plan is good for minutes; older ones are kept a while for the readers of the trail. */
export const plansKeptMax = 500
