import { HoldfastError } from '../../../domain/errors/index.ts'
import type { AnyPlan } from '../../../domain/remedy/index.ts'
import type { PlanStore } from '../../../ports/plan-store.ts'

/** The plan of this hash, if it is one of this remedy. Throws E_PLAN_UNKNOWN, E_PLAN_DAMAGED and E_PLAN_OTHER. */
export async function readPlan<P extends AnyPlan>(
  plans: Pick<PlanStore, 'read'>,
  hash: string,
  remedy: P['remedy'],
): Promise<P> {
  const plan = await plans.read(hash)
  if (!isOf<P>(plan, remedy))
    throw new HoldfastError('E_PLAN_OTHER', { hash, expected: remedy, got: plan.remedy })
  return plan
}

function isOf<P extends AnyPlan>(plan: AnyPlan, remedy: P['remedy']): plan is P {
  return plan.remedy === remedy
}
