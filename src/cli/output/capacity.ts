import type {
  LabelCapacity,
  Limiter,
  NodeDemand,
  NodeFilesystems,
  Schedulable,
} from '../../domain/capacity/index.ts'
import { bytes } from '../../domain/format.ts'
import type { Context } from '../context.ts'
import { filesystemLines } from './filesystems.ts'
import { fitted } from './fitted.ts'
import { tableText } from './table.ts'

export interface CapacityReport extends NodeFilesystems {
  readonly labels: readonly LabelCapacity[]
  readonly nodes: readonly NodeDemand[]
  readonly areNodesKnown: boolean
  readonly unknown: readonly string[]
}

type Page = Pick<Context, 'width' | 'colors'>

/** Declared against schedulable, a row a label; then what the declared maximum asks of the nodes, and what is unknown. */
export function capacityText(report: CapacityReport, page: Page): string {
  const { labels, nodes, areNodesKnown, unknown } = report
  if (!areNodesKnown) return blindText(unknown, page)
  if (labels.length === 0) return 'No scale set serves such a label: there is nothing to place.'
  const parts = [
    labelTable(labels, page),
    ...limiterLines(labels, page),
    ...demandLines(nodes, page),
    ...filesystemLines(report, page),
  ]
  if (unknown.length > 0)
    parts.push(page.colors.yellow('Unknown, so the figures may be wrong:'), ...lines(unknown, page))
  return parts.join('\n')
}

/** Without a node there is no figure. Pools whose runners are processes of one machine have no nodes. */
export function blindText(unknown: readonly string[], page: Page): string {
  return [
    'No node could be read, so it cannot be judged how many runners fit:',
    ...lines(unknown, page),
  ].join('\n')
}

/** The same labels before and after what was supposed. */
export function whatIfTable(
  before: readonly LabelCapacity[],
  after: readonly LabelCapacity[],
  page: Page,
): string {
  const rows = after.map((label) => ({
    after: label,
    before: before.find((each) => each.label === label.label),
  }))
  return tableText(
    [
      { head: 'label', text: ({ after }) => after.label, isFlexible: true },
      { head: 'declared', text: (row) => change(row.before?.declared ?? null, row.after.declared) },
      {
        head: 'fits now',
        text: (row) => change(slotsOf(row.before, 'atCurrentLoad'), row.after.atCurrentLoad.slots),
      },
      {
        head: 'at full load',
        text: (row) => change(slotsOf(row.before, 'atDeclaredLoad'), row.after.atDeclaredLoad.slots),
      },
    ],
    rows,
    page,
  )
}

function labelTable(labels: readonly LabelCapacity[], page: Page): string {
  return tableText(
    [
      { head: 'label', text: ({ label }) => label, isFlexible: true },
      { head: 'declared', text: ({ declared }) => declared?.toString() ?? 'no maximum' },
      { head: 'fits now', text: ({ atCurrentLoad }) => slotsText(atCurrentLoad) },
      { head: 'at full load', text: ({ atDeclaredLoad }) => slotsText(atDeclaredLoad) },
      { head: 'running', text: ({ running }) => `${running}` },
      { head: 'pending', text: ({ unscheduled }) => `${unscheduled}` },
    ],
    labels,
    page,
  )
}

/** A figure that is not proven to be the most says how many there could be. */
function slotsText({ slots, atMost }: Schedulable): string {
  return atMost > slots ? `${slots} (${atMost} at most)` : `${slots}`
}

/** The least that one more slot of each label needs, where it is short of its maximum. */
export function limiterLines(labels: readonly LabelCapacity[], page: Page): string[] {
  const found = labels.flatMap(({ label, declared, atCurrentLoad, atDeclaredLoad }) => {
    const bounds = [
      { when: 'now', ...atCurrentLoad },
      { when: 'with every other lane at its maximum', ...atDeclaredLoad },
    ]
    return bounds.flatMap(({ when, slots, limiter, othersLeftOut }) => {
      if (limiter === null || (declared !== null && slots >= declared)) return []
      const others = othersLeftOut === 0 ? '' : ` ${othersLeftOut} slots of other lanes do not fit either.`
      return [`${label}, ${when}: one more slot needs ${needText(limiter)}.${others}`]
    })
  })
  return found.length === 0 ? [] : ['', ...lines(found, page)]
}

function needText({ kind, lane, place, missing }: Limiter): string {
  if (kind === 'no-node') return `a node that takes pods of ${lane}: none does`
  if (kind === 'anti-affinity') return `one more node that takes ${lane}: ${place} keeps it off the others`
  if (kind === 'declared-maximum') return `a higher maximum of ${lane}`
  const amounts = Object.entries(missing).map(([resource, amount]) => amountText(resource, amount))
  return `${amounts.join(' and ')} ${kind === 'node' ? `on ${place}` : `in ${place}`} (${lane})`
}

function demandLines(nodes: readonly NodeDemand[], page: Page): string[] {
  const found = nodes.flatMap(({ nodes: names, rows }) =>
    rows
      .filter(({ requested, allocatable, overcommit }) => requested > allocatable || overcommit > 1)
      .map(({ resource, requested, allocatable, overcommit }) => {
        const limits = overcommit > 1 ? `, limits ${overcommit.toFixed(1)} times that` : ''
        return `${placeText(names)}: ${amountText(resource, requested)} requested of ${plain(resource, allocatable)}${limits}`
      }),
  )
  return found.length === 0 ? [] : ['', 'With every lane at its declared maximum:', ...lines(found, page)]
}

function placeText(names: readonly string[]): string {
  const [first = ''] = names
  return names.length > 1 ? `${first} and ${names.length - 1} more nodes` : first
}

function amountText(resource: string, amount: number): string {
  return `${plain(resource, amount)} ${resource}`
}

function plain(resource: string, amount: number): string {
  const isBytes = /memory|storage|bytes|hugepages/.test(resource)
  return isBytes ? bytes(amount) : `${Number(amount.toFixed(3))}`
}

function lines(texts: readonly string[], { width }: Page): string[] {
  return texts.flatMap((text) => fitted(text, '  ', 4, width))
}

function slotsOf(label: LabelCapacity | undefined, load: 'atCurrentLoad' | 'atDeclaredLoad'): number | null {
  return label === undefined ? null : label[load].slots
}

function change(before: number | null, after: number | null): string {
  const [from, to] = [before ?? 'none', after ?? 'none']
  return from === to ? `${to}` : `${from} → ${to}`
}
