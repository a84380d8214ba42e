import type { WhyAnswer } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { printable } from './printable.ts'
import { wrapped } from './wrap.ts'

/** The answer in a sentence, then the facts behind it. */
export function whyText(why: WhyAnswer, { width }: Pick<Context, 'width'>): string {
  const first = wrapped(printable(`Job ${why.job}: ${why.sentence}`), '', 2, width)
  const grounds = why.state === 'queued' ? groundsOf(why) : []
  return [...first, ...grounds.flatMap((line) => wrapped(printable(line), '  - ', 4, width))].join('\n')
}

function groundsOf(why: WhyAnswer): string[] {
  const lines: string[] = []
  if (why.pool !== null) {
    const { live, idle, max } = why.runners
    lines.push(`pool ${why.pool}: ${live} of at most ${max} runners live, ${idle} idle`)
  }
  for (const { repository, jobs } of why.ahead) lines.push(`before it: ${jobs} of ${repository}`)
  for (const [whose, { running, cap }] of Object.entries(why.caps)) {
    if (cap !== null) lines.push(`cap of its ${whose}: ${running} of ${cap} in use`)
  }
  if (why.hold !== null) lines.push(`${why.hold.key} is held until ${why.hold.until}: ${why.hold.reason}`)
  if (why.reach !== null) lines.push(`to do: ${why.reach.todo}`)
  return lines
}
