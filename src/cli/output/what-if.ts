import { raiseView } from '../../api/index.ts'
import type { RaiseJudgement } from '../../domain/audit/index.ts'
import { counted } from '../../domain/format.ts'
import { isWithheld, type WhatIf } from '../capacity/what-if.ts'
import type { Context } from '../context.ts'
import { findingLines, unjudgedLines } from './audit/index.ts'
import { blindText, limiterLines, whatIfTable } from './capacity.ts'
import { fitted } from './fitted.ts'

type Page = Pick<Context, 'width' | 'colors' | 'clock'>

/** Findings against a raise come first, then the figures; the need of one more slot only where there are none. */
export function whatIfPage(result: WhatIf, page: Page): string {
  const { before, after, areNodesKnown, unknown, raises } = result
  const gate = raises.flatMap((raise) => [...raiseLines(raise, page), ''])
  if (!areNodesKnown) return [...gate, blindText(unknown, page)].join('\n')
  const table = whatIfTable(before, after, page)
  return isWithheld(result)
    ? [...gate, 'The figures, and no recommendation:', table].join('\n')
    : [...gate, table, ...limiterLines(after, page)].join('\n')
}

function raiseLines(raise: RaiseJudgement, page: Page): string[] {
  const { verdict, refusals, unjudged } = raise
  const { colors, width, clock } = page
  const paint = { refused: colors.red, unknown: colors.yellow, allowed: colors.green }[verdict]
  const findings = raiseView(raise).refusals.map(({ finding }) => finding)
  const reasons = [...new Set(refusals.map(({ why }) => why))]
  return [
    ...fitted(headOf(raise), '', 0, width).map(paint),
    ...reasons.flatMap((why) => fitted(why, '  ', 4, width)),
    ...findingLines(findings, new Date(clock.now()).toISOString(), page),
    ...unjudgedLines([...unjudged], page),
  ]
}

function headOf({ kind, labels, verdict, refusals }: RaiseJudgement): string {
  const what = `${kind === 'maximum' ? 'a higher maximum' : 'more room'} for ${labels.join(', ')}`
  if (verdict === 'refused') return `Refused: ${what}, by ${counted(refusals.length, 'open finding')}.`
  return verdict === 'unknown'
    ? `Not allowed: ${what}. Nothing was found against it, and not everything could be judged.`
    : `Allowed: ${what}. No finding about images, credentials, fairness or the scheduler is open there.`
}
