import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loopNames } from './index.ts'

const note = readFileSync('docs/design/one-loop-for-all.md', 'utf8')

/** Each row's first cell, and the file and title of its test; "the same" is the file of the row before. */
function rowsOfNote() {
  let file = ''
  return note
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, what = '', , test = '']) => {
      const [, named, title = ''] = /^(`[^`]+`|the same): (.*)$/.exec(test) ?? []
      if (named?.startsWith('`')) file = named.slice(1, -1)
      return { what: what.replaceAll('`', ''), file, title }
    })
}

it('the design note on isolated failures has a row for every loop, and names tests that exist', () => {
  const rows = rowsOfNote()
  expect(rows.map(({ what }) => what)).toEqual(expect.arrayContaining([...loopNames]))
  const tests = rows.filter(({ title }) => title !== '')
  expect(tests.length).toBeGreaterThanOrEqual(loopNames.length)
  expect(tests.filter(({ file, title }) => !readFileSync(file, 'utf8').includes(title))).toEqual([])
})
