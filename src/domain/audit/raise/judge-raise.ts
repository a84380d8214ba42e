import type { Raise } from '../../capacity/index.ts'
import type { Finding, Unjudged } from '../finding.ts'
import type { Judged } from '../judging.ts'
import { type BlockerGroup, blockerOf } from './blockers.ts'

/** A finding that stands against a raise, and why it does. */
interface RaiseRefusal {
  readonly group: BlockerGroup
  readonly why: string
  readonly finding: Finding
}

/** `refused`: findings are open. `unknown`: none is, as far as could be judged. `allowed`: all was judged, and none is. */
export interface RaiseJudgement extends Raise {
  readonly verdict: 'refused' | 'unknown' | 'allowed'
  readonly refusals: readonly RaiseRefusal[]
  readonly unjudged: readonly Unjudged[]
}

/** Whether a raise may be made, by the findings of audits on its labels. A class that was not judged never allows it. */
export function judgeRaise(raise: Raise, run: Judged): RaiseJudgement {
  const refusals = run.findings.flatMap((finding) => {
    const blocker = blockerOf(finding.class, raise)
    return blocker === null ? [] : [{ group: blocker.group, why: blocker.why, finding }]
  })
  const unjudged = run.unjudged.filter((each) => blockerOf(each.class, raise) !== null)
  const open = unjudged.length > 0 ? 'unknown' : 'allowed'
  return { ...raise, verdict: refusals.length > 0 ? 'refused' : open, refusals, unjudged }
}
