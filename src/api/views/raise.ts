import { type RaiseJudgement, raiseAudits } from '../../domain/audit/index.ts'
import type { ApiFinding } from '../contracts/audit.ts'
import { findingViews } from './audit.ts'

/** The judgement of a raise as programs read it. */
export interface RaiseView extends Omit<RaiseJudgement, 'refusals'> {
  readonly refusals: readonly (Omit<RaiseJudgement['refusals'][number], 'finding'> & {
    readonly finding: ApiFinding
  })[]
}

export function raiseView(judgement: RaiseJudgement): RaiseView {
  return {
    ...judgement,
    refusals: judgement.refusals.flatMap(({ finding, ...rest }) =>
      findingViews([finding], raiseAudits).map((view) => ({ ...rest, finding: view })),
    ),
  }
}
