import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
const packages: Record<string, { engines?: object }> = read('package-lock.json').packages
const pinned = Number(read('package.json').dependencies.node.split('.')[0])

it('the lock file holds no package against the Node that installs it', () => {
  expect(Object.entries(packages).filter(([, { engines }]) => engines !== undefined)).toEqual([])
})

it('the Node that comes with the lock file is one that every package wants', () => {
  const wants = Object.keys(packages)
    .filter((folder) => folder !== '')
    .flatMap((folder) => {
      try {
        return [[folder, read(path.join(folder, 'package.json')).engines?.node as unknown] as const]
      } catch {
        return [] // for another platform
      }
    })
    .filter((pair): pair is readonly [string, string] => typeof pair[1] === 'string')
  expect(wants.length).toBeGreaterThan(50)
  expect(wants.filter(([, range]) => !takes(range, pinned))).toEqual([])
})

/** Enough of the language of ranges for what packages write of Node. */
function takes(range: string, major: number): boolean {
  return range
    .replaceAll(/([<>=^~])\s+/g, '$1')
    .split('||')
    .some((part) =>
      part
        .trim()
        .split(/\s+(?=[<>=^~\d])/)
        .every((bound) => {
          const [, sign = '', text = ''] = /^(>=|<=|[<>^~=]?)\s*v?(\d+|\*|x)?/.exec(bound) ?? []
          if (text === '' || text === '*' || text === 'x') return true
          const wanted = Number(text)
          if (sign === '>=' || sign === '>') return major >= wanted
          if (sign === '<' || sign === '<=') return major < wanted
          return major === wanted
        }),
    )
}
