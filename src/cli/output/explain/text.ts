import { ageText, type Explanation } from '../../../api/index.ts'
import type { Context } from '../../context.ts'
import { attemptLines } from '../attempts.ts'
import { fitted } from '../fitted.ts'
import { printable } from '../printable.ts'
import { timelineLines } from '../timeline.ts'
import { detailsOf, evidenceNote, sealedText, sentence, verdictsOf } from './parts.ts'

/** Lines of the log that are shown; `--json` has all that is kept. */
const shownTailLines = 12
const timeChars = 12
const sourceChars = 8

/** An explanation for a person at a terminal. */
export function explanationText(explanation: Explanation, context: Context): string {
  const { colors } = context
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', colors.bold(title), ...lines]
  const list = (lines: readonly string[]) => lines.flatMap((line) => bullet(line, context))
  return [
    ...head(explanation, context),
    ...part('Verdict', verdictLines(explanation, context)),
    ...part('Attempts', explanation.attempts === null ? [] : attemptLines(explanation.attempts, context)),
    ...part(
      'Evidence',
      list(explanation.evidence.map((item) => `${item.text} ${evidenceNote(item, explanation.at)}`)),
    ),
    ...part('Ruled out', list(explanation.ruledOut)),
    ...part('Not known', list(explanation.unknown)),
    ...part('Timeline (UTC)', [
      ...(explanation.leftOut === 0 ? [] : [`  ${explanation.leftOut} older rows are left out.`]),
      ...timelineLines(explanation.timeline, context),
    ]),
    ...part('What Holdfast did', actionLines(explanation, context)),
    ...part('What to do', list(explanation.nextSteps)),
    ...part('Its last lines (what it ran wrote them: never proof)', tailLines(explanation, context)),
  ].join('\n')
}

function head(explanation: Explanation, { colors, width }: Context): string[] {
  return [
    ...fitted(explanation.subject.title, colors.bold(''), 2, width).map((line) => colors.bold(line)),
    ...fitted(explanation.summary, '  ', 2, width),
    ...detailsOf(explanation).flatMap(([name, text]) =>
      fitted(text, `  ${colors.dim(name.padEnd(sourceChars))}`, 2 + sourceChars, width),
    ),
  ]
}

function verdictLines(explanation: Explanation, context: Context): string[] {
  const { isReached } = explanation
  const { colors, width } = context
  const verdicts = verdictsOf(explanation)
  if (verdicts.length === 0) return fitted('None.', '  ', 2, width)
  const paint = isReached ? colors.green : colors.yellow
  const changed = sealedText(explanation)
  return [
    ...verdicts.flatMap((verdict) => [
      ...fitted(sentence(verdict.sentence), '  ', 2, width).map((line) => paint(line)),
      ...verdict.because.flatMap((line) => bullet(line, context)),
    ]),
    ...(changed === null ? [] : fitted(changed, '  ', 2, width)),
  ]
}

function actionLines({ actionsTaken }: Explanation, { colors, width }: Context): string[] {
  const indent = 4 + timeChars
  return actionsTaken.flatMap(({ at, rule, text, why, count, lastAt }) => {
    const often = count === 1 ? '' : ` (${count} times in ${ageText(at, lastAt)})`
    return [
      ...fitted(`${rule}: ${text}${often}`, `  ${colors.dim(at.slice(11, 11 + timeChars))}  `, indent, width),
      ...(why === null ? [] : fitted(why, `${' '.repeat(indent)}${colors.dim('- ')}`, indent + 2, width)),
    ]
  })
}

function tailLines({ tail }: Explanation, { colors, width }: Context): string[] {
  if (tail === '') return []
  const lines = tail.split('\n').slice(-shownTailLines)
  return lines.map((line) => `  ${colors.dim('| ')}${[...printable(line)].slice(0, width - 4).join('')}`)
}

function bullet(text: string, { colors, width }: Context): string[] {
  return fitted(text, `  ${colors.dim('- ')}`, 4, width)
}
