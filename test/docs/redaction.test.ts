import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const masking = String.raw`\b(redactText|redactValue|redactRecord|redactBareTokens|createRedactor|Redactor)\b.*/redact/`

it('the note on redaction names every file that redacts text, and no other', () => {
  const note = readFileSync(path.join(root, 'docs/design/redaction.md'), 'utf8')
  const named = [...note.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, file = '']) => file)
  const args = ['grep', '--untracked', '-l', '-E', masking, '--', 'src']
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const redacting = files.filter(
    (file) => !/\.test\.ts$|\/testing\/|^src\/domain\/redact\//.test(file) && redacts(file),
  )
  expect([...new Set(named)].toSorted()).toEqual(redacting.toSorted())
})

/** Whether it calls a function that masks; others only pass the redactor on. */
function redacts(file: string): boolean {
  const source = readFileSync(path.join(root, file), 'utf8')
  return /\b(redact(Text|Value|Record|BareTokens)|createRedactor|redactor\.(text|value))\(/.test(source)
}
