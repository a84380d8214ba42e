import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkWords } from './check.ts'
import { listChecked } from './files.ts'
import { parseRetired, parseStored } from './retired.ts'

/** `npm run words [-- <path>…]`: retired words and comments without a subject; see docs/glossary.md. */
const root = join(import.meta.dirname, '../..')
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
const table = parseRetired(glossary)
const stored = parseStored(glossary)
const files = listChecked(root, process.argv.slice(2)).filter((file) => existsSync(join(root, file)))
const findings = files.flatMap((file) =>
  checkWords(readFileSync(join(root, file), 'utf8'), !file.endsWith('.md'), table, stored).map((finding) => ({
    file,
    ...finding,
  })),
)
for (const { file, line, what, text } of findings) console.error(`${file}:${line}: ${what}\n    ${text}`)
console.error(`${findings.length} findings in ${files.length} files (docs/glossary.md has the list)`)
if (findings.length > 0) process.exitCode = 1
