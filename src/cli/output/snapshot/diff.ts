import { durationText } from '../../../domain/format.ts'
import type { KindDiff, SnapshotDiff } from '../../../snapshot/index.ts'
import type { Context } from '../../context.ts'
import { printable } from '../printable.ts'
import { wrapped } from '../wrap.ts'

/** More are counted; --json has all. */
const shownMax = 20
const fieldsShownMax = 8
const valueCharsMax = 60

/** The differences of two snapshots, by kind. */
export function diffText(diff: SnapshotDiff, context: Context): string {
  const { before, after, isSame, kinds, notCompared } = diff
  const apart = after.takenAt - before.takenAt
  const head = `${before.id} → ${after.id}, ${durationText(Math.abs(apart))} ${apart < 0 ? 'earlier' : 'later'}`
  return [
    ...wrapped(printable(head), '', 0, context.width),
    ...(isSame ? ['Nothing differs.'] : kinds.flatMap((kind) => kindLines(kind, context))),
    ...notCompared.flatMap((sentence) => ['', ...wrapped(printable(sentence), '', 0, context.width)]),
  ].join('\n')
}

function kindLines(kind: KindDiff, context: Context): string[] {
  const { colors } = context
  const uncertain = ' (or unread in the other)'
  const lines = [
    ...kind.added.map((name) => colors.green(`  + ${printable(name)}`)),
    ...kind.addedOrUnread.map((name) => `  ? + ${printable(name)}${colors.dim(uncertain)}`),
    ...kind.removed.map((name) => colors.red(`  - ${printable(name)}`)),
    ...kind.removedOrUnread.map((name) => `  ? - ${printable(name)}${colors.dim(uncertain)}`),
  ]
  return [
    '',
    colors.bold(kind.what),
    ...shortened(lines),
    ...shortened(kind.changed.map((object) => changedText(object, context))),
  ]
}

function changedText({ name, fields }: KindDiff['changed'][number], { colors }: Context): string {
  const lines = fields
    .slice(0, fieldsShownMax)
    .map(({ path, before, after }) => `      ${printable(path)}: ${valueText(before)} → ${valueText(after)}`)
  const more = fields.length - lines.length
  return [
    colors.yellow(`  ~ ${printable(name)}`),
    ...lines,
    ...(more > 0 ? [`      … and ${more} more fields`] : []),
  ].join('\n')
}

function valueText(value: unknown): string {
  const text = printable(JSON.stringify(value) ?? 'null')
  return text.length <= valueCharsMax ? text : `${text.slice(0, valueCharsMax - 1)}…`
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - shownMax
  return more <= 0 ? [...lines] : [...lines.slice(0, shownMax), `  … and ${more} more (--json has all)`]
}
