import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { definitionFiles } from '../../scripts/crds.ts'
import { parseRunnerPool } from '../../src/api/index.ts'

const root = join(import.meta.dirname, '../..')

describe('deploy/', () => {
  it.each(definitionFiles)('$path is what the code says', ({ path, render }) => {
    const file = join(root, path)
    const found = existsSync(file) ? readFileSync(file, 'utf8') : ''
    expect(found, `${path} is not up to date. Run: npm run crds`).toBe(render())
  })

  it('has no property that kubectl takes for an order to itself', () => {
    for (const { render } of definitionFiles) expect(render()).not.toMatch(/^ *\$(patch|retainKeys)/m)
  })

  it('has an example of a pool that can be used', () => {
    const { metadata, spec } = parse(readFileSync(join(root, 'deploy/examples/runnerpool.yaml'), 'utf8'))
    expect(parseRunnerPool(metadata.name, spec)).toMatchObject({ kind: 'pool', pool: { maxRunners: 50 } })
  })
})
