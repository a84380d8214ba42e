import { bytes, durationText } from '../../../domain/format.ts'
import type { Unread } from '../../../domain/snapshot/index.ts'
import type { SnapshotOverview } from '../../../snapshot/index.ts'
import type { Context } from '../../context.ts'
import { printable } from '../printable.ts'
import { type Column, tableText } from '../table.ts'
import { wrapped } from '../wrap.ts'

type ListRow = SnapshotOverview['lists'][number]

/** The content of a snapshot: its lists, how old each list is, what could not be read and why, and what reading cost. */
export function overviewText(overview: SnapshotOverview, context: Context): string {
  const { lists } = overview
  const listed = lists.filter(({ count, isWhole }) => count > 0 || isWhole)
  return [
    ...headLines(overview, context),
    '',
    tableText(columnsOf(overview.takenAt, context), listed, context),
    ...unreadLines(lists, context),
  ].join('\n')
}

function headLines(overview: SnapshotOverview, { clock }: Context): string[] {
  const { id, takenAt, program, clusterName, clusterVersion, hashScope, cost } = overview
  const at = new Date(takenAt).toISOString()
  const cluster = clusterName === null ? 'not known by name' : printable(clusterName)
  return [
    `Snapshot   ${printable(id)}, taken ${durationText(clock.now() - takenAt)} ago (${at}) by holdfast ${printable(program)}`,
    `Cluster    ${cluster}${clusterVersion === null ? '' : `, Kubernetes ${printable(clusterVersion)}`}`,
    `Scope      ${scopeText(overview)}`,
    `Cost       ${cost.requests} requests, ${bytes(cost.bytes)}, ${durationText(cost.ms)}`,
    `Hash key   ${printable(hashScope ?? 'none: secrets are in it by name only')}`,
  ]
}

function scopeText({ scope: { namespaces, labels, nodes } }: SnapshotOverview): string {
  const parts = [
    ...part('namespaces', namespaces),
    ...part('scale sets with the labels', labels),
    ...part('nodes', nodes),
  ]
  return parts.length === 0 ? 'everything' : parts.join('; ')
}

function part(what: string, names: readonly string[] | null): string[] {
  return names === null ? [] : [`${what} ${names.map(printable).join(', ')}`]
}

function columnsOf(takenAt: number, { colors }: Context): Column<ListRow>[] {
  return [
    { head: 'LIST', text: ({ what }) => what, isFlexible: true },
    { head: 'ITEMS', text: ({ count }) => String(count) },
    { head: 'SOURCE', text: ({ source }) => source },
    { head: 'READ', text: ({ at }) => readText(at - takenAt) },
    {
      head: 'WHOLE',
      text: ({ isWhole }) => (isWhole ? 'yes' : 'in part'),
      paint: ({ isWhole }) => (isWhole ? colors.dim : colors.yellow),
    },
  ]
}

function readText(afterMs: number): string {
  return afterMs < 0 ? `${durationText(-afterMs)} before` : `after ${durationText(afterMs)}`
}

/** One reason often holds for many lists: each is said once. */
function unreadLines(lists: readonly ListRow[], { colors, width }: Context): string[] {
  const reasons = Map.groupBy(
    lists.flatMap(({ unread }) => unread),
    ({ why, needs }) => `${why}\n${needs}`,
  )
  if (reasons.size === 0) return ['', 'Everything was read.']
  const lines = [...reasons.values()].flatMap((parts) => {
    const { why, needs } = parts[0] as Unread
    return [
      ...wrapped(printable([...new Set(parts.map(({ what }) => what))].join(', ')), '  ', 2, width),
      ...wrapped(printable(why), `    ${colors.dim('why')}   `, 10, width),
      ...(needs === null ? [] : wrapped(printable(needs), `    ${colors.dim('needs')} `, 10, width)),
    ]
  })
  return ['', colors.yellow('Not read:'), ...lines]
}
