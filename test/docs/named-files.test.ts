import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
const rooms = ['src', 'sim', 'test', 'runners', 'images', 'deploy', 'migrations', 'scripts', 'bench', 'bin']
const files = rooms.flatMap(filesIn)
const pages = [...readdirSync(root).filter((name) => name.endsWith('.md')), ...filesIn('docs')].filter(
  (file) => file.endsWith('.md'),
)

describe('the documents', () => {
  it.each(pages.filter((page) => page !== 'CHANGELOG.md'))('%s names no file that is not there', (page) => {
    const text = readFileSync(path.join(root, page), 'utf8')
    const named = [...text.matchAll(/`([\w.-]+\/[\w./-]+\.(?:ts|sql|sh|yaml))`/g)].map(
      ([, file]) => file as string,
    )
    expect(named.filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([])
  })
})

describe('the sources', () => {
  it('name no page of the documentation that is not there', () => {
    const named = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(path.join(root, file), 'utf8').matchAll(
          /\bdocs\/(?:design|incidents)\/[\w-]+\.md\b/g,
        ),
      ])
    expect(named.length).toBeGreaterThan(5)
    expect(named.map(([page]) => page).filter((page) => !pages.includes(page))).toEqual([])
  })
})

/** Every file below a folder of the repository. */
function filesIn(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
}
