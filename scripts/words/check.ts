import type { Retired } from './retired.ts'

export interface Finding {
  readonly line: number
  readonly what: string
  readonly text: string
}

/** `...{ a, b }`: a literal that is spread only to keep several fields on one line. */
const spreadNames = /\.\.\.\(?\{ \w+(?:, \w+)* \}/
const bareSubject = /^\s*(?:\/\*\*|\/\/)\s+(?:What|Who|Whoever|Those)\b(?![^.]*\?)/

/** Retired words, comments that begin without a subject, and literals spread for the formatter, in one file. */
export function checkWords(
  text: string,
  isCode: boolean,
  table: readonly Retired[],
  stored: readonly string[] = [],
): readonly Finding[] {
  return text.split('\n').flatMap((original, index) => {
    const line = stored.reduce((rest, name) => rest.replaceAll(name, ''), original)
    const findings = findRetired(line, isCode, table).map(
      ({ phrase, use }) => `"${phrase}" is retired: ${use}`,
    )
    if (isCode && bareSubject.test(original)) findings.push('the comment does not name its subject')
    if (isCode && spreadNames.test(withoutStrings(original)))
      findings.push('the fields of a spread literal stand by themselves')
    return findings.map((what) => ({ line: index + 1, what, text: original.trim() }))
  })
}

function findRetired(line: string, isCode: boolean, table: readonly Retired[]): readonly Retired[] {
  const code = isCode ? line.replace(/\/\/.*|\/?\*.*/, '') : ''
  const [prose, names] = [spaced(line), withoutStrings(code)]
  return table.filter(({ pattern, where }) => (where === 'anywhere' ? prose : names).search(pattern) >= 0)
}

/** Code with its strings emptied; the expressions of a template stay. */
function withoutStrings(code: string): string {
  return code
    .replace(/`([^`]*)`/g, (_, text: string) => [...text.matchAll(/\$\{[^}]*\}/g)].join(' '))
    .replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, "''")
}

/** The line in lower case, with identifiers as the words that they are made of: `hearAlone` is `hear alone`. */
function spaced(line: string): string {
  return line.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
}
