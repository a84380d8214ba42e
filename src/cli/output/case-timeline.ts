import type { ApiCaseTimeline } from '../../api/index.ts'
import { counted } from '../../domain/format.ts'
import type { Context } from '../context.ts'
import { fitted } from './fitted.ts'
import { timelineLines } from './timeline.ts'

/** How much of a timeline is shown: the rows around the end, or every one. */
export const timelineParts = ['end', 'all'] as const
export type TimelinePart = (typeof timelineParts)[number]

/** Rows that are shown before and after the end. */
const beforeMax = 8
const afterMax = 6

/** The merged timeline of a case, what has no time, and what is missing. */
export function caseTimelineLines(given: ApiCaseTimeline, part: TimelinePart, context: Context): string[] {
  const { colors, width } = context
  const { rows, leftOut, undated, undatedLeftOut, gaps } = given
  const list = (title: string, items: readonly string[]): string[] =>
    items.length === 0
      ? []
      : ['', colors.bold(title), ...items.flatMap((item) => fitted(item, `  ${colors.dim('- ')}`, 4, width))]
  const [from, to] = part === 'all' ? [0, rows.length] : aroundEnd(given)
  const shown = rows.slice(from, to)
  const note = (text: string): string[] => fitted(text, '  ', 2, width)
  const dated = [
    ...(leftOut === 0 ? [] : note(`${leftOut} older rows are left out.`)),
    ...(from === 0 ? [] : note(`${counted(from, 'earlier row')}: --timeline all`)),
    ...timelineLines(shown, context),
    ...(to === rows.length ? [] : note(`${counted(rows.length - to, 'later row')}: --timeline all`)),
    ...(shown.some(({ mark }) => mark !== null) ? note(markNote) : []),
  ]
  const more = undatedLeftOut === 0 ? [] : [`and ${undatedLeftOut} more`]
  return [
    ...(dated.length === 0 ? [] : ['', colors.bold('Timeline (UTC)'), ...dated]),
    ...list('Known, without a time', [...undated.map(({ source, text }) => `${text} (${source})`), ...more]),
    ...list('Missing in the timeline', gaps),
  ]
}

const markNote =
  '[!] contradicts another row: clocks differ, or a later pod has the same name. Nothing was moved for it.'

/** The rows around the end; the newest ones where nothing ended. */
function aroundEnd({ rows, endAt }: ApiCaseTimeline): readonly [from: number, to: number] {
  const after = endAt === null ? -1 : rows.findIndex(({ at }) => at > endAt)
  const end = after === -1 ? rows.length : after
  return [Math.max(0, end - beforeMax), Math.min(rows.length, end + afterMax)]
}
