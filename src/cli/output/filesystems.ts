import type { NodeFilesystem, NodeFilesystems } from '../../domain/capacity/index.ts'
import { bytes, durationText } from '../../domain/format.ts'
import type { Context } from '../context.ts'
import { fitted } from './fitted.ts'
import { tableText } from './table.ts'

/** A fleet has thousands of filesystems: the first to be full are shown, all are in the JSON. */
const shownMax = 8

type Page = Pick<Context, 'width' | 'colors'>

/** The filesystems of the kubelets, the first to be full ahead; nothing where none was looked for. */
export function filesystemLines({ filesystems, unread }: NodeFilesystems, page: Page): string[] {
  const notes = unread.flatMap((each) => fitted(`not read: ${each}`, '  ', 4, page.width))
  if (filesystems.length === 0)
    return notes.length === 0 ? [] : ['', 'Filesystems of the kubelets are unknown:', ...notes]
  const more = filesystems.length - shownMax
  const isRateKnown = filesystems.some((each) => each.isRateKnown)
  return [
    '',
    'Filesystems of the kubelets, the first to be full ahead:',
    tableText(
      [
        { head: 'node', text: ({ node }) => node, isFlexible: true },
        { head: 'filesystem', text: ({ filesystem, unit }) => `${filesystem} ${unit}` },
        { head: 'left', text: ({ unit, available }) => amountText(unit, available) },
        { head: 'of', text: ({ unit, capacity }) => amountText(unit, capacity) },
        { head: 'until eviction', text: headroomText },
        { head: 'lasts', text: runwayText },
      ],
      filesystems.slice(0, shownMax),
      page,
    ),
    ...(more > 0 ? fitted(`${more} more; --json has all of them.`, '  ', 4, page.width) : []),
    ...(isRateKnown
      ? []
      : fitted('How long they last needs a rate: --earlier with a snapshot of before.', '  ', 4, page.width)),
    ...notes,
  ]
}

function headroomText({ unit, headroom, threshold }: NodeFilesystem): string {
  return threshold === null ? `at most ${amountText(unit, headroom)}` : amountText(unit, headroom)
}

function runwayText({ runwayMs, isRateKnown }: NodeFilesystem): string {
  if (!isRateKnown) return 'unknown'
  return runwayMs === null ? 'does not fill' : durationText(runwayMs)
}

function amountText(unit: NodeFilesystem['unit'], amount: number): string {
  const size = Math.abs(Math.round(amount))
  return `${amount < 0 ? '-' : ''}${unit === 'bytes' ? bytes(size) : size}`
}
