import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const contributing = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8')
const [, section = ''] = /## Recipes\n(.*?)\n## /s.exec(contributing) ?? []
const recipes = section
  .split('\n### ')
  .slice(1)
  .map((text) => {
    const [, name = '', max = ''] = /^(.*?): at most (\d+) files?/.exec(text) ?? []
    const [, example = '', own = ''] = /^Example: `([^`]+)`(?: \(its folders?: (.*)\))?$/m.exec(text) ?? []
    const lists = [...text.matchAll(/^- ((?:`[^`]+`(?:, )?)+):/gm)].map(([, list]) => list ?? '')
    return { name, max: Number(max), example, own: namesIn(own), files: lists.flatMap(namesIn) }
  })

describe('the recipes of CONTRIBUTING.md', () => {
  it('are there for everything that people add', () => {
    expect(recipes.map(({ name }) => name)).toEqual([
      'A pool field',
      'A CLI command',
      'A death class',
      'A recovery rule',
      'A metric',
      'A forge',
      'A runner host',
    ])
  })

  it.each(recipes)('$name: list the files that $example touches, and no other', ({ example, own, files }) => {
    const touched = productFilesWith(example).filter((file) => !own.some((folder) => file.startsWith(folder)))
    expect(touched).toEqual(files.toSorted())
  })

  it.each(recipes)('$name: touch at most $max files', ({ files, max }) => {
    expect(files.length).toBeGreaterThan(0)
    expect(files.length).toBeLessThanOrEqual(max)
  })
})

/** Files of the product that name it, a word of prose in any case; tests and their tools apart. */
function productFilesWith(word: string): readonly string[] {
  const anyCase = word === word.toLowerCase() ? ['-i'] : []
  const args = [
    'grep',
    '--untracked',
    '-l',
    '-w',
    ...anyCase,
    '-F',
    '-e',
    word,
    '--',
    'src',
    'images',
    'runners',
  ]
  const files = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n')
  return files.filter((file) => file !== '' && !/\.test\.ts$|\/testing\//.test(file)).toSorted()
}

function namesIn(list: string): readonly string[] {
  return [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')
}
