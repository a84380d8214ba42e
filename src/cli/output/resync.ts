import {
  type ApiBudget,
  type ApiDifference,
  durationText,
  type ForgeStatus,
  paceText,
  type ResyncReport,
} from '../../api/index.ts'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** The result of a resync: differences and the actions taken, unreachable repositories, deliveries and budget. */
export function resyncText(report: ResyncReport, context: Context): string {
  const { colors, width } = context
  const head = report.putOff === null ? comparedText(report) : `Nothing was compared: ${report.putOff}`
  const lines = [
    ...wrapped(printable(head), '', 0, width),
    ...report.differences.flatMap((difference) => differenceLines(difference, context)),
    ...report.notCovered.flatMap((whose) =>
      wrapped(printable(`${whose}: its jobs were not compared`), `${colors.red('not shown')} `, 2, width),
    ),
    ...report.unreachable.flatMap(({ repository, incident, reason }) => [
      ...wrapped(printable(`${repository}: ${incident}`), `${colors.red('unreachable')} `, 2, width),
      ...wrapped(printable(reason), '  ', 2, width),
    ]),
    ...(report.deliveries === null ? [] : wrapped(deliveriesText(report.deliveries), '', 0, width)),
    ...(report.budget === null ? [] : budgetLines(report.budget, report.at, context)),
  ]
  return lines.join('\n')
}

/** The forge, and the calls that it allows now. */
export function allowanceText(status: ForgeStatus, context: Context): string {
  const { at, kind, url, budget, pausedUntil } = status
  const silentMs = pausedUntil === null ? 0 : Date.parse(pausedUntil) - Date.parse(at)
  return [
    `The forge: ${kind}, ${url}`,
    ...(budget === null ? ['It has named no limit on calls so far.'] : budgetLines(budget, at, context)),
    ...(silentMs > 0
      ? [`It asked us to be silent: nothing is sent for another ${durationText(silentMs)}.`]
      : []),
  ].join('\n')
}

/** The rest of the budget, its reset, and the pace of resyncs that follows. */
function budgetLines(budget: ApiBudget, at: string, { width }: Context): string[] {
  const { limit, remaining, resetAt, pace } = budget
  const inMs = Date.parse(resetAt) - Date.parse(at)
  const when =
    inMs > 0 ? `new in ${durationText(inMs)}, at ${resetAt.slice(11, 19)} UTC` : `new since ${resetAt}`
  return [
    ...wrapped(`Budget: ${remaining} of ${limit} calls left; ${when}.`, '', 0, width),
    ...wrapped(paceText(pace), '', 0, width),
  ]
}

function comparedText({ compared, differences }: ResyncReport): string {
  const jobs = compared === 1 ? '1 job' : `${compared} jobs`
  if (differences.length === 0) return `${jobs} compared: the forge and the ledger agree.`
  return `${jobs} compared, ${differences.length} of them differed:`
}

function differenceLines(difference: ApiDifference, { colors, width }: Context): string[] {
  const { job, repository, name, forgeJobId, forge, ledger, rule, done } = difference
  const whom = job === null ? `forge job ${forgeJobId}` : `job ${job}`
  return [
    ...wrapped(printable(`${repository} · ${name}`), `  ${colors.bold(whom)}  `, 4, width),
    ...wrapped(printable(`forge: ${forge}; ledger: ${ledger}`), '    ', 4, width),
    ...wrapped(printable(`${rule}: ${done}`), '    ', 4, width),
  ]
}

function deliveriesText({
  looked,
  missing,
  sentAgain,
  gone,
}: NonNullable<ResyncReport['deliveries']>): string {
  if (missing === 0) return `Webhooks: ${looked} looked at, none is missing.`
  const lost = gone === 0 ? '' : `, ${gone} gone from the forge's list`
  return `Webhooks: ${looked} looked at, ${missing} missing, ${sentAgain} sent again${lost}.`
}
