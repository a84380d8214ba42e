import { ageText, type Explanation } from '../../../api/index.ts'
import { harmless } from '../../../explain/index.ts'
import { detailsOf, sealedText, sentence } from './parts.ts'

/** Lines of the log that are pasted: an issue is no log store. */
const TAIL_LINES = 50
const TAIL_LINE_CHARS_MAX = 500
/** Longer runs are cut, so that the fence around them stays short. */
const BACKTICKS_MAX = 8

/** An explanation to paste into an issue. What others wrote stays text: no markup, no mention, no way out of a fence. */
export function explanationMarkdown(explanation: Explanation): string {
  const { verdict, evidence, ruledOut, unknown, timeline, did, nextSteps, at, leftOut } = explanation
  return [
    `### ${plain(explanation.subject.title)}`,
    plain(explanation.standing),
    lines(detailsOf(explanation).map(([name, text]) => `**${name}**: ${plain(text)}`)),
    verdict === null
      ? '**Verdict:** none.'
      : `**Verdict:** ${plain(sentence(verdict.sentence))}\n\n${lines(verdict.because.map(plain))}`,
    plain(sealedText(explanation) ?? ''),
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
      lines(did.map(({ rule, text, at: when }) => plain(`${when} ${rule}: ${text}`))),
    ),
    part('What to do', lines(nextSteps.map(plain))),
    part('Its last lines (what it ran wrote them: never proof)', fenced(explanation.tail)),
  ]
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
 * Text that renders as what it is. Forges look for people and issues in what is rendered, so that no escape helps:
 * a space of no width after the sign keeps whoever is named from being called.
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
  const runs = new RegExp(`\`{${BACKTICKS_MAX + 1},}`, 'g')
  const shown = harmless(tail)
    .split('\n')
    .slice(-TAIL_LINES)
    .map((line) =>
      line
        .slice(0, TAIL_LINE_CHARS_MAX)
        .toWellFormed()
        .replaceAll(runs, `${'`'.repeat(BACKTICKS_MAX)}…`),
    )
  const longest = Math.max(
    2,
    ...shown.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length)),
  )
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${shown.join('\n')}\n${fence}`
}
