import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildGo, cacheFolder, exists, pinnedVersion } from '../support/go-build.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { untilTestEnds } from '../support/until-test-ends.ts'

const module = fileURLToPath(new URL('compose/', import.meta.url))
const composeFile = fileURLToPath(new URL('../../deploy/compose.yaml', import.meta.url))
const hasGo = spawnSync('go', ['version']).status === 0
if (!hasGo) console.warn('NOT TRIED, what Docker Compose says of deploy/compose.yaml: Go is not there')

describe.skipIf(!hasGo)('deploy/compose.yaml, read by the loader of Docker Compose', () => {
  let loader: string
  beforeAll(async () => {
    const version = await pinnedVersion(module, 'github.com/compose-spec/compose-go/v2')
    loader = path.join(cacheFolder(`compose-${version}`), 'load')
    if (!(await exists(loader))) await buildGo({ module, package: '.', to: loader }, console.log)
  })
  const complaintsOf = (file: string): string => spawnSync(loader, [file], { encoding: 'utf8' }).stderr

  it('is a project', () => {
    expect(complaintsOf(composeFile)).toBe('')
  })

  it.each([
    ['a key that Compose does not know', 'restart: unless-stopped', 'restarts: always', /restarts/],
    ['a service that is not there', 'postgres: { condition', 'database: { condition', /undefined service/],
    ['a secret that is not declared', 'secrets: [postgres-password]', 'secrets: [other]', /undefined secret/],
  ])('with %s would be none', async (_, words, instead, complaint) => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'compose.yaml')
    await writeFile(file, (await readFile(composeFile, 'utf8')).replace(words, instead))
    expect(complaintsOf(file)).toMatch(complaint)
  })
})
