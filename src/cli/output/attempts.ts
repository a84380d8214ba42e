import type { ApiAttempts } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { fitted } from './fitted.ts'
import { type Column, tableText } from './table.ts'

type Attempt = ApiAttempts['attempts'][number]
type Fact = readonly [name: string, text: (attempt: Attempt) => string]

/** Columns that fit a terminal; `--json` has all. */
const shownMax = 4
const shaCharsShown = 12

const facts: readonly Fact[] = [
  ['job', ({ forgeJobId }) => String(forgeJobId)],
  ['commit', ({ commit }) => commit?.slice(0, shaCharsShown) ?? 'not known'],
  ['runner', ({ runner }) => runner ?? 'none'],
  ['node', ({ node }) => node ?? 'not known'],
  ['result', resultText],
  ['step', ({ step }) => step ?? ''],
  ['verdict', ({ verdict }) => (verdict === null ? '' : `${verdict.class}, ${verdict.confidence}`)],
]

/** The attempts of a job next to each other, what they say together, and what must not be concluded. */
export function attemptLines(given: ApiAttempts, context: Context): string[] {
  const { colors, width } = context
  const shown = given.attempts.slice(-shownMax)
  const indent = '  '
  const columns: Column<Fact>[] = [
    { head: '', text: ([name]) => name },
    ...shown.map((attempt) => ({
      head: `ATTEMPT ${attempt.number}`,
      text: ([, text]: Fact) => text(attempt),
      isFlexible: true,
    })),
  ]
  const left = given.attempts.length - shown.length
  return [
    ...tableText(columns, facts, { colors, width: width - indent.length })
      .split('\n')
      .map((line) => `${indent}${line}`.trimEnd()),
    ...(left > 0 ? [`${indent}${left} older attempts are left out.`] : []),
    ...fitted(given.sentence, indent, indent.length, width),
    ...given.mustNotConclude.flatMap((line) => fitted(line, `${indent}${colors.dim('careful: ')}`, 4, width)),
  ]
}

/** The facts of the attempts as rows, for documents. */
export function attemptTable({ attempts }: ApiAttempts): {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
} {
  return {
    head: ['', ...attempts.map(({ number }) => `attempt ${number}`)],
    rows: facts.map(([name, text]) => [name, ...attempts.map(text)]),
  }
}

function resultText({ status, conclusion, isCarriedOver }: Attempt): string {
  const result = conclusion ?? (status === 'completed' ? 'not known' : status.replaceAll('_', ' '))
  return isCarriedOver ? `${result} (not run again)` : result
}
