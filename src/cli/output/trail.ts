import { counted } from '../../domain/format.ts'
import type { TrailRow } from '../../domain/trail/index.ts'
import type { Context } from '../context.ts'
import type { TrailReport } from '../deps.ts'
import { printable } from './printable.ts'
import { type Column, tableText } from './table.ts'
import { wrapped } from './wrap.ts'

const planChars = 8

/** Steps as a table. */
export function trailListText(rows: readonly TrailRow[], place: string, context: Context): string {
  const where = `(${place})`
  if (rows.length === 0) return `No remedy has done anything here. ${where}`
  return `${tableText(columns, rows, context)}\n${where}`
}

const columns: readonly Column<TrailRow>[] = [
  { head: '#', text: ({ number }) => String(number) },
  { head: 'at', text: ({ at }) => new Date(at).toISOString() },
  { head: 'plan', text: ({ plan }) => plan?.slice(0, planChars) ?? '-' },
  { head: 'step', text: ({ step }) => step },
  {
    head: 'outcome',
    text: ({ subject, outcome }) => (subject === null ? outcome : `${subject}: ${outcome}`),
    isFlexible: true,
  },
]

/** One step, whole. */
export function trailRowText(row: TrailRow, { width }: Context): string {
  const { number, at, actor, remedy, plan, step, subject, gates, outcome, hash } = row
  const lines = (text: string) => wrapped(printable(text), '  ', 2, width)
  return [
    `${number}  ${new Date(at).toISOString()}  ${remedy}  ${step}`,
    ...lines(`by ${actor.kind} ${actor.name}`),
    ...(subject === null ? [] : lines(subject)),
    ...lines(outcome),
    ...gates.flatMap(({ gate, passed, proof }) => lines(`${passed ? 'passed' : 'FAILED'} ${gate}: ${proof}`)),
    `  plan ${plan ?? '-'}`,
    `  hash ${hash}`,
  ].join('\n')
}

/** Whether the chain holds, and what that does not prove. */
export function trailVerdictText(report: TrailReport, isNoted: boolean): string {
  const { rows, head, store, place, problems } = report
  if (problems.length > 0)
    return [`The trail in ${place} does not hold:`, ...problems.map((problem) => `  ${problem}`)].join('\n')
  const rest = isNoted
    ? 'It holds from the head that you gave.'
    : `${forgers[store]} can write the whole again: give a head that was noted elsewhere with --head.`
  return [
    `${counted(rows.length, 'row')}, each follows the one before it; head ${head.count}:${head.hash}`,
    `In ${place}. ${rest}`,
  ].join('\n')
}

const forgers: Readonly<Record<TrailReport['store'], string>> = {
  files: 'Who can write both files',
  ledger: 'Who owns the tables of the ledger',
}
