import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const note = readFileSync(path.join(root, 'docs/design/absence.md'), 'utf8')
const rows = note
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Place'))
  .map((line) => {
    const [, place = '', , , , test = ''] = line.split('|').map((cell) => cell.trim())
    const [, file = '', title = ''] = /^`([^`]+)` "(.*)"$/.exec(test) ?? []
    return { place, file: file.startsWith('test/') ? file : `src/${file}`, title }
  })

describe('the note on absence', () => {
  it('has its rows', () => expect(rows.length).toBeGreaterThan(60))

  it.each(rows)('$place is attacked by a test that exists: $title', ({ file, title }) => {
    expect(existsSync(path.join(root, file)), file).toBe(true)
    expect(title).not.toBe('')
    expect(titlesIn(file)).toContain(title)
  })
})

/** The source of a file of tests, with the escapes of its strings undone. */
function titlesIn(file: string): string {
  return readFileSync(path.join(root, file), 'utf8').replaceAll(/\\(['"`])/g, '$1')
}
