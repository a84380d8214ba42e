import { type ApiEnd, type ApiIncident, ageText, type DeathList } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { type Column, tableText } from './table.ts'
import { wrapped } from './wrap.ts'

const dayMs = 86_400_000

/** Common causes of many deaths, the number of deaths of each class, then the deaths themselves. */
export function deathListText(list: DeathList, context: Context): string {
  const { width } = context
  const parts = [
    ...list.causes.map((cause) => causeLines(cause, list.at, context)),
    wrapped(countsText(list), '', 2, width),
    ...(list.deaths.length === 0 ? [] : [[tableText(columnsFor(list, context), list.deaths, context)]]),
    wrapped(footOf(list), '', 0, width),
  ]
  return parts.map((lines) => lines.join('\n')).join('\n\n')
}

function causeLines(
  { reason, openedAt, lastSeenAt, closedAt, todo }: ApiIncident,
  at: string,
  context: Context,
) {
  const { colors, width } = context
  const age =
    closedAt === null
      ? `open for ${ageText(openedAt, at)}, last death ${ageText(lastSeenAt, at)} ago`
      : `over for ${ageText(closedAt, at)}`
  const words = wrapped(printable(reason), '', 2, width)
  return [
    ...words.map((line) => (closedAt === null ? colors.red : colors.dim)(line)),
    ...wrapped(age, '  ', 2, width),
    ...(closedAt === null ? wrapped(printable(todo), `  ${colors.dim('to do ')}`, 8, width) : []),
  ]
}

/** Clean ends are not in the table, but their number is worth knowing. */
function countsText({ counts, since, at }: DeathList): string {
  const words = (isListed: boolean) =>
    counts
      .filter((row) => row.isListed === isListed)
      .map((row) => `${row.count} ${row.class}`)
      .join(', ')
  const listed = words(true) === '' ? 'no such end' : words(true)
  const others = words(false) === '' ? '' : `; not listed: ${words(false)}`
  return `In ${ageText(since, at)}: ${listed}${others}.`
}

function columnsFor({ since, at }: DeathList, { colors }: Context): Column<ApiEnd>[] {
  const isLong = Date.parse(at) - Date.parse(since) > dayMs
  const time = (iso: string) => (isLong ? iso.slice(5, 16).replace('T', ' ') : iso.slice(11, 19))
  return [
    { head: 'UTC', text: (end) => time(end.at) },
    { head: 'CLASS', text: classText, isFlexible: true, paint: () => colors.red },
    { head: 'SURE', text: ({ confidence }) => confidence },
    { head: 'RUNNER', text: ({ runner }) => runner, isFlexible: true },
    { head: 'NODE', text: ({ node }) => node ?? '-', isFlexible: true },
    { head: 'POOL', text: ({ pool }) => pool, isFlexible: true },
    { head: 'REPOSITORY', text: ({ repository }) => repository ?? '-', isFlexible: true },
    { head: 'JOB', text: ({ jobId }) => (jobId === null ? '-' : String(jobId)) },
  ]
}

/** The true class first, then the class that was sealed wrongly. */
function classText({ class: sealed, corrected }: ApiEnd): string {
  return corrected === null ? sealed : `${corrected.class ?? 'alive'} (not ${sealed})`
}

function footOf({ deaths, leftOut }: DeathList): string {
  if (deaths.length === 0) return 'All ends: holdfast deaths --all'
  const wrong = deaths.filter(({ corrected }) => corrected !== null).length
  const corrected = wrong === 0 ? '' : `${wrong} of these were sealed although their runner lived. `
  const more = leftOut === 0 ? '' : `${leftOut} more: --limit. `
  return `${corrected}${more}How one of them ended: holdfast explain ${printable(deaths[0]?.runner ?? '')}`
}
