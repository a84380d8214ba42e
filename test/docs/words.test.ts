import { describe, expect, it } from 'vitest'
import { checkWords } from '../../scripts/words/check.ts'
import { parseRetired, parseStored } from '../../scripts/words/retired.ts'

const table = parseRetired(
  '## Retired words\n\n| retired | use |\n|---|---|\n| spark, fall over | apply |\n| Gizmos | KeyedMutex |\n| `blah` | message |\n',
)
const findingsIn = (line: string, isCode = true) => checkWords(line, isCode, table).map(({ what }) => what)

describe('retired words', () => {
  it.each([
    '// they spark at night',
    'sparkAlone(event)',
    'const canSpark = 1',
    'waiters.fallOver()',
    'createGizmos()',
    'const gizmos = 1',
    'const blah = 1',
    `show(\`it is \${blah}\`)`,
  ])('are found in %j', (line) => expect(findingsIn(line)).toHaveLength(1))

  it.each([
    'sparkler()',
    '// near the sparks',
    '// gizmos as such',
    '// two causes that no log can spark apart',
    'fall(); over()',
    '// it is blah',
    "show('it is blah')",
    'show(`blah`, row.blah, { blah: 1 }, isBlah)',
  ])('are not found in %j', (line) => expect(findingsIn(line)).toEqual([]))

  it('that are identifiers only are free in prose', () => {
    expect(findingsIn('There are gizmos and gizmos.', false)).toEqual([])
    expect(findingsIn('They spark it.', false)).toEqual(['"spark" is retired: apply'])
  })
})

describe('a comment', () => {
  it.each(['/** What was read. */', '  // Who asks first wins.', '/** Those that failed. */'])(
    'that does not name its subject is found: %s',
    (line) => expect(findingsIn(line)).toEqual(['the comment does not name its subject']),
  )

  it.each(['/** Rows that were read. */', '// What if the answer is lost?', ' * What it costs: 3 ms.'])(
    'that names it, or asks, is not: %s',
    (line) => expect(findingsIn(line)).toEqual([]),
  )
})

describe('a literal of plain names', () => {
  it.each(['...{ a, b },', 'f({ ...({ a, b } as const), c })'])('that is spread is found: %s', (line) =>
    expect(findingsIn(line)).toEqual(['the fields of a spread literal stand by themselves']),
  )

  it.each(['...(app && { app }),', '...{ ...given, a: 1 },', '...rest,', 'f({ a, b })'])(
    'is not: %s',
    (line) => expect(findingsIn(line)).toEqual([]),
  )
})

describe('a stored name', () => {
  it('is exempt where it stands as it is, and nowhere else', () => {
    const lines = "record.sparkedAt\nkind: 'spark'\nspark(event)"
    const glossary =
      "## Retired words\n\n| retired | use |\n|---|---|\n| spark, sparked | apply |\n\n## Stored names\n\n`sparkedAt`, `'spark'`\n"
    const findings = checkWords(lines, true, parseRetired(glossary), parseStored(glossary))
    expect(findings.map(({ line }) => line)).toEqual([3])
  })
})
