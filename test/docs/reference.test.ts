import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { example } from '../../scripts/reference/config.ts'
import { referencePages } from '../../scripts/reference/pages.ts'
import { loadConfig } from '../../src/platform/config/index.ts'

const root = join(import.meta.dirname, '../..')

describe('reference pages', () => {
  it.each(referencePages)('$path is what the code says', ({ path, render }) => {
    const file = join(root, path)
    const found = existsSync(file) ? readFileSync(file, 'utf8') : ''
    expect(found, `${path} is not up to date. Run: npm run docs`).toBe(render())
  })

  it('the example of the configuration page is accepted', () => {
    const files: Record<string, string> = {
      '/example.yaml': example,
      '/run/secrets/database-url': 'postgres://db/holdfast\n',
    }
    const inputs = { env: {}, flags: { config: '/example.yaml' }, isRoot: true }
    const { config } = loadConfig({ ...inputs, readFile: (path) => files[path] })
    expect(config.pools[0]).toMatchObject({ name: 'linux', fairness: { weights: { 'acme/web': 3 } } })
  })
})
