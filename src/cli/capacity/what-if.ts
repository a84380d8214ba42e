import { type RaiseView, raiseView } from '../../api/index.ts'
import { auditRaise, type Contract, type RaiseJudgement } from '../../domain/audit/index.ts'
import {
  type CapacityModel,
  capacityModel,
  checkCapacity,
  type LabelCapacity,
  raisesIn,
  type Supposition,
} from '../../domain/capacity/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import { supposing } from './suppositions.ts'

/** Labels before and after what was supposed, and whether its raises may be made. */
export interface WhatIf {
  readonly before: readonly LabelCapacity[]
  readonly after: readonly LabelCapacity[]
  readonly areNodesKnown: boolean
  readonly unknown: readonly string[]
  readonly raises: readonly RaiseJudgement[]
}

interface Facts {
  readonly snapshot: Snapshot
  readonly contract: Contract | null
}

/** The figures of a supposed change; a raise in it is judged by the audits on the same snapshot. */
export function judgeWhatIf(
  suppositions: readonly Supposition[],
  facts: Facts,
  asked: readonly string[] | null,
): WhatIf & { readonly supposed: CapacityModel } {
  const model = capacityModel(facts.snapshot)
  const supposed = suppositions.reduce(supposing, model)
  const [before, after] = [checkCapacity(model, asked), checkCapacity(supposed, asked)]
  const raises = raisesIn(
    suppositions,
    { model, labels: before },
    { model: supposed, labels: after },
    asked,
  ).map((raise) => auditRaise(raise, facts))
  const { areNodesKnown, unknown } = model
  return { before, after, areNodesKnown, unknown, raises, supposed }
}

/** Whether something stands against a raise, or may: then no figure says what one more slot needs. */
export function isWithheld({ raises }: Pick<WhatIf, 'raises'>): boolean {
  return raises.some(({ verdict }) => verdict !== 'allowed')
}

/** The answer as programs read it. */
export function whatIfReport(result: WhatIf): Omit<WhatIf, 'raises'> & {
  readonly raises: readonly RaiseView[]
  readonly isRecommendationWithheld: boolean
} {
  const withheld = isWithheld(result)
  return {
    ...result,
    after: withheld ? result.after.map(withoutLimiter) : result.after,
    raises: result.raises.map(raiseView),
    isRecommendationWithheld: withheld,
  }
}

function withoutLimiter(label: LabelCapacity): LabelCapacity {
  return {
    ...label,
    atCurrentLoad: { ...label.atCurrentLoad, limiter: null },
    atDeclaredLoad: { ...label.atDeclaredLoad, limiter: null },
  }
}
