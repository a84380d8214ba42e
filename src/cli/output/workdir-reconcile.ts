import type { WorkdirReconcile } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { tableText } from './table.ts'
import { wrapped } from './wrap.ts'

type Host = WorkdirReconcile['hosts'][number]

const pad = 2

/** Each host in one line, then the next step on each that needs one. */
export function reconcileText({ hosts }: WorkdirReconcile, look: Pick<Context, 'colors' | 'width'>): string {
  const columns = [
    { head: 'HOST', text: ({ name }: Host) => name, isFlexible: true },
    { head: 'VERDICT', text: ({ verdict }: Host) => verdict },
    { head: 'DRAINED', text: ({ isDrained, verdict }: Host) => drainedText(isDrained, verdict) },
    { head: 'NEXT', text: ({ next }: Host) => next.kind },
  ]
  const open = hosts.filter(({ next }) => next.kind !== 'none')
  return [
    tableText(columns, hosts, look),
    ...open.flatMap(({ name, next }) => [
      '',
      ...wrapped(printable(`${name}: ${next.why}.`), '', pad, look.width),
      ...(next.command === null ? [] : [`  ${printable(next.command)}`]),
    ]),
    '',
    open.length === 0 ? 'Nothing is to do.' : 'Nothing was changed.',
  ].join('\n')
}

function drainedText(isDrained: boolean, verdict: Host['verdict']): string {
  if (verdict === 'unreachable') return '?'
  return isDrained ? 'yes' : 'no'
}
