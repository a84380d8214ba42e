import type { WhyAnswer } from '../../api/index.ts'
import { printable } from './printable.ts'

/** The answer in a sentence, then what it rests on. */
export function whyText(why: WhyAnswer): string {
  const lines = [`Job ${why.job}: ${why.sentence}`]
  if (why.state !== 'queued') return lines.map(printable).join('\n')
  if (why.pool !== null) {
    const { live, idle, max } = why.runners
    lines.push(`- pool ${why.pool}: ${live} of at most ${max} runners live, ${idle} idle`)
  }
  for (const { repository, jobs } of why.ahead) lines.push(`- before it: ${jobs} of ${repository}`)
  for (const [whose, { running, cap }] of Object.entries(why.caps)) {
    if (cap !== null) lines.push(`- cap of its ${whose}: ${running} of ${cap} in use`)
  }
  if (why.hold !== null) lines.push(`- ${why.hold.key} is held until ${why.hold.until}: ${why.hold.reason}`)
  const [first = '', ...rest] = lines.map(printable)
  return [first, ...rest.map((line) => `  ${line}`)].join('\n')
}
