/** A retired word or phrase of the glossary, and what to write instead. */
export interface Retired {
  readonly phrase: string
  readonly use: string
  readonly pattern: RegExp
  /** Prose, strings and comments may use a word that is retired in names. */
  readonly where: 'anywhere' | 'names'
}

/** The names under "Stored names" of docs/glossary.md, which are exempt wherever they stand. */
export function parseStored(glossary: string): readonly string[] {
  const [, section = ''] = glossary.split('## Stored names')
  return [...section.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)
}

/** The table under "Retired words" of docs/glossary.md. */
export function parseRetired(glossary: string): readonly Retired[] {
  const [, section = ''] = (glossary.split('## Stored names')[0] ?? '').split('## Retired words')
  return [...section.matchAll(/^\| (?!retired|---)([^|]+) \| ([^|]+) \|$/gm)].flatMap(
    ([, phrases = '', use = '']) => phrases.split(', ').map((phrase) => retired(phrase, use)),
  )
}

function retired(phrase: string, use: string): Retired {
  const [, name] = /^`(\w+)`$/.exec(phrase) ?? []
  if (name !== undefined) {
    // A field is left alone: stored rows and the API have such names. A word that another follows is prose.
    const pattern = new RegExp(`(?<![.\\w])${name}(?!\\w|\\??:| [a-z])`, 'g')
    return { phrase: name, use, where: 'names', pattern }
  }
  if (/^[A-Z]/.test(phrase)) {
    const lower = `${phrase[0]?.toLowerCase()}${phrase.slice(1)}`
    const pattern = new RegExp(`${phrase}(?![a-z])|\\b${lower}(?![a-z])`, 'g')
    return { phrase, use, where: 'names', pattern }
  }
  const pattern = new RegExp(`(?<![a-z])${phrase.replaceAll(' ', '[ -]')}(?![a-z])(?! apart)`, 'g')
  return { phrase, use, where: 'anywhere', pattern }
}
