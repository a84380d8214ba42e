import type { Digest } from '../../domain/canonical-json.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import { type AnyPlan, planHash } from '../../domain/remedy/index.ts'
import { planSchema } from './schemas.ts'

/** The stored value as the plan of this hash. Throws E_PLAN_DAMAGED where it is another, or none. */
export function planOfHash(stored: unknown, hash: string, place: string, digest: Digest): AnyPlan {
  const plan = planSchema.safeParse(stored)
  if (!plan.success)
    throw new HoldfastError('E_PLAN_DAMAGED', { place, problem: 'it has not the form of a plan' })
  const found = planHash(plan.data, digest)
  if (found !== hash) throw new HoldfastError('E_PLAN_DAMAGED', { place, problem: `its hash is ${found}` })
  return plan.data
}

/** Whether a text may be the hash of a plan; also keeps a path out of the name of a file. */
export function isPlanHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text)
}
