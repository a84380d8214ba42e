import { type ApiListedDecision, type DecisionList, decisionText } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { type Column, tableText } from './table.ts'
import { wrapped } from './wrap.ts'

const dayMs = 86_400_000

/** Decisions as a table, newest first, and where the facts behind one of them are. */
export function decisionListText(list: DecisionList, context: Context): string {
  const { decisions } = list
  const table = decisions.length === 0 ? [] : [tableText(columnsFor(list, context), decisions, context)]
  return [...table, wrapped(footOf(list), '', 0, context.width).join('\n')].join('\n\n')
}

/** One decision in one line. */
export function decisionLine(decision: ApiListedDecision): string {
  const { at, rule, jobId, runner } = decision
  const about = [jobId === null ? null : `job ${jobId}`, runner === null ? null : `runner ${runner}`]
  const subject = about.filter((part) => part !== null).join(', ')
  return `${at.slice(11, 19)}  ${printable(`${rule}  ${subject}: ${decisionText(decision)}`)}`
}

function columnsFor({ since, at }: DecisionList, { colors }: Context): Column<ApiListedDecision>[] {
  const isLong = Date.parse(at) - Date.parse(since) > dayMs
  return [
    {
      head: 'UTC',
      text: (row) => (isLong ? row.at.slice(5, 16).replace('T', ' ') : row.at.slice(11, 19)),
    },
    { head: 'RULE', text: ({ rule }) => rule, paint: () => colors.bold },
    { head: 'JOB', text: ({ jobId }) => (jobId === null ? '-' : String(jobId)) },
    { head: 'RUNNER', text: ({ runner }) => runner ?? '-', isFlexible: true },
    { head: 'POOL', text: ({ pool }) => pool ?? '-', isFlexible: true },
    { head: 'OUTCOME', text: decisionText, isFlexible: true },
  ]
}

function footOf({ decisions, hasMore, unreadable }: DecisionList): string {
  const broken = unreadable.length === 0 ? '' : `Not readable: decision ${unreadable.join(', ')}. `
  if (decisions.length === 0) return `${broken}No such decisions. Those of archived jobs: holdfast job <id>`
  const more = hasMore ? 'There are more: --limit. ' : ''
  const about = decisions.find(({ jobId }) => jobId !== null)
  const facts =
    about === undefined ? 'The facts: --json' : `The facts of one: holdfast job ${about.jobId}, or --json`
  return `${broken}${more}${facts}`
}
