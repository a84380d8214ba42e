import { ageText, type Explanation } from '../../../api/index.ts'
import type { Context } from '../../context.ts'
import { printable } from '../printable.ts'
import { wrapped } from '../wrap.ts'
import { detailsOf, evidenceNote, sealedText, sentence } from './parts.ts'

/** Lines of the log that are shown; `--json` has all that is kept. */
const TAIL_LINES = 12
const TIME_CHARS = 12
const SOURCE_CHARS = 8

/** An explanation for a person at a terminal. */
export function explanationText(explanation: Explanation, context: Context): string {
  const { colors } = context
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', colors.bold(title), ...lines]
  const list = (lines: readonly string[]) => lines.flatMap((line) => bullet(line, context))
  return [
    ...head(explanation, context),
    ...part('Verdict', verdictLines(explanation, context)),
    ...part(
      'Evidence',
      list(explanation.evidence.map((item) => `${item.text} ${evidenceNote(item, explanation.at)}`)),
    ),
    ...part('Ruled out', list(explanation.ruledOut)),
    ...part('Not known', list(explanation.unknown)),
    ...part('Timeline (UTC)', timelineLines(explanation, context)),
    ...part('What Holdfast did', didLines(explanation, context)),
    ...part('What to do', list(explanation.nextSteps)),
    ...part('Its last lines (what it ran wrote them: never proof)', tailLines(explanation, context)),
  ].join('\n')
}

function head(explanation: Explanation, { colors, width }: Context): string[] {
  return [
    ...fitted(explanation.subject.title, colors.bold(''), 2, width).map((line) => colors.bold(line)),
    ...fitted(explanation.standing, '  ', 2, width),
    ...detailsOf(explanation).flatMap(([name, text]) =>
      fitted(text, `  ${colors.dim(name.padEnd(SOURCE_CHARS))}`, 2 + SOURCE_CHARS, width),
    ),
  ]
}

function verdictLines(explanation: Explanation, context: Context): string[] {
  const { verdict, isReached } = explanation
  const { colors, width } = context
  if (verdict === null) return fitted('None.', '  ', 2, width)
  const paint = isReached ? colors.green : colors.yellow
  const changed = sealedText(explanation)
  return [
    ...fitted(sentence(verdict.sentence), '  ', 2, width).map((line) => paint(line)),
    ...verdict.because.flatMap((line) => bullet(line, context)),
    ...(changed === null ? [] : fitted(changed, '  ', 2, width)),
  ]
}

function timelineLines({ timeline, leftOut }: Explanation, { colors, width }: Context): string[] {
  const lines = leftOut === 0 ? [] : [`  ${leftOut} older rows are left out.`]
  let day = ''
  for (const { at, source, text } of timeline) {
    if (at.slice(0, 10) !== day) {
      day = at.slice(0, 10)
      lines.push(`  ${colors.dim(day)}`)
    }
    const lead = `  ${colors.dim(at.slice(11, 11 + TIME_CHARS))}  ${source.padEnd(SOURCE_CHARS)}`
    lines.push(...fitted(text, lead, 4 + TIME_CHARS + SOURCE_CHARS, width))
  }
  return lines
}

function didLines({ did }: Explanation, { colors, width }: Context): string[] {
  const indent = 4 + TIME_CHARS
  return did.flatMap(({ at, rule, text, why, count, lastAt }) => {
    const often = count === 1 ? '' : ` (${count} times in ${ageText(at, lastAt)})`
    return [
      ...fitted(
        `${rule}: ${text}${often}`,
        `  ${colors.dim(at.slice(11, 11 + TIME_CHARS))}  `,
        indent,
        width,
      ),
      ...(why === null ? [] : fitted(why, `${' '.repeat(indent)}${colors.dim('- ')}`, indent + 2, width)),
    ]
  })
}

function tailLines({ tail }: Explanation, { colors, width }: Context): string[] {
  if (tail === '') return []
  const lines = tail.split('\n').slice(-TAIL_LINES)
  return lines.map((line) => `  ${colors.dim('| ')}${[...printable(line)].slice(0, width - 4).join('')}`)
}

function bullet(text: string, { colors, width }: Context): string[] {
  return fitted(text, `  ${colors.dim('- ')}`, 4, width)
}

/** Wrapped, and what has no space to break at is broken all the same. */
function fitted(text: string, lead: string, indent: number, width: number): string[] {
  const room = Math.max(8, width - indent)
  const broken = printable(text).replaceAll(/\S+/gu, (word) => pieces(word, room).join(' '))
  return wrapped(broken, lead, indent, width)
}

function pieces(word: string, charsMax: number): string[] {
  const found: string[] = []
  for (let from = 0; from < word.length; from += charsMax) found.push(word.slice(from, from + charsMax))
  return found
}
