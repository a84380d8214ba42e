import { ageText, type Explanation } from '../../../api/index.ts'
import { harmless } from '../../../explain/index.ts'
import { attemptTable } from '../attempts.ts'
import { detailsOf, sealedText, sentence, verdictsOf } from './parts.ts'

/** Lines of the log that are pasted: an issue is no log store. */
const shownTailLines = 50
const tailLineCharsMax = 500
/** Longer runs are cut, so that the fence around them stays short. */
const backticksMax = 8

/** An explanation to paste into an issue. Foreign text stays text: no markup, no mention, no way out of a fence. */
export function explanationMarkdown(explanation: Explanation): string {
  const { evidence, ruledOut, unknown, timeline, actionsTaken, nextSteps, at, leftOut } = explanation
  const verdicts = verdictsOf(explanation)
  return [
    `### ${plain(explanation.subject.title)}`,
    plain(explanation.summary),
    lines(detailsOf(explanation).map(([name, text]) => `**${name}**: ${plain(text)}`)),
    ...(verdicts.length === 0
      ? ['**Verdict:** none.']
      : verdicts.map(({ sentence: words, because }) =>
          `**Verdict:** ${plain(sentence(words))}\n\n${lines(because.map(plain))}`.trimEnd(),
        )),
    plain(sealedText(explanation) ?? ''),
    part('Attempts', attempts(explanation)),
    part(
      'Evidence',
      table(
        ['source', 'age', 'what'],
        evidence.map((item) => [
          item.source,
          item.at === null ? 'not known' : ageText(item.at, at),
          item.text,
        ]),
      ),
    ),
    part('Ruled out', lines(ruledOut.map(plain))),
    part('Not known', lines(unknown.map(plain))),
    part(
      leftOut === 0 ? 'Timeline (UTC)' : `Timeline (UTC; ${leftOut} older rows left out)`,
      table(
        ['time', 'source', 'what'],
        timeline.map((row) => [row.at.replace('T', ' ').replace('Z', ''), row.source, row.text]),
      ),
    ),
    part(
      'What Holdfast did',
      lines(actionsTaken.map(({ rule, text, at: when }) => plain(`${when} ${rule}: ${text}`))),
    ),
    part('What to do', lines(nextSteps.map(plain))),
    part('Its last lines (what it ran wrote them: never proof)', fenced(explanation.tail)),
  ]
    .filter((each) => each !== '')
    .join('\n\n')
}

function attempts({ attempts: given }: Explanation): string {
  if (given === null) return ''
  const { head, rows } = attemptTable(given)
  return [table(head, rows), plain(given.sentence), lines(given.mustNotConclude.map(plain))]
    .filter((each) => each !== '')
    .join('\n\n')
}

function part(title: string, body: string): string {
  return body === '' ? '' : `#### ${title}\n\n${body}`
}

function lines(texts: readonly string[]): string {
  return texts.map((text) => `- ${text}`).join('\n')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map((cells) => line(cells.map(plain)))].join('\n')
}

/**
 * Escapes text so that it renders literally. Forges look for mentions and issue numbers in the rendered text, where no
 * escape helps: a zero-width space after the sign prevents the mention.
 */
function plain(text: string): string {
  return harmless(text)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>|~#!&]/g, (sign) => `\\${sign}`)
    .replace(/^(\d{0,9})([-+.)])(?=\s)/, '$1\\$2')
    .replaceAll(/[@#](?=\w)/g, (sign) => `${sign}\u200b`)
}

function fenced(tail: string): string {
  if (tail === '') return ''
  const runs = new RegExp(`\`{${backticksMax + 1},}`, 'g')
  const shown = harmless(tail)
    .split('\n')
    .slice(-shownTailLines)
    .map((line) =>
      line
        .slice(0, tailLineCharsMax)
        .toWellFormed()
        .replaceAll(runs, `${'`'.repeat(backticksMax)}…`),
    )
  const longest = Math.max(
    2,
    ...shown.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)),
  )
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${shown.join('\n')}\n${fence}`
}
