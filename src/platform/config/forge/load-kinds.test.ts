import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { forgeKindNames } from '../../../domain/forge/index.ts'
import { settingsUnder } from '../index.ts'
import { loadKinds } from './load-kinds.ts'

const settingsFolder = path.join(import.meta.dirname, '..')

it('every registered kind of forge has its file of settings, and every such file is of a registered kind', async () => {
  const files = readdirSync(`${import.meta.dirname}/kinds`)
  expect(files.toSorted()).toEqual(forgeKindNames.map((kind) => `${kind}.ts`).toSorted())
  const kinds = await loadKinds()
  for (const kind of forgeKindNames) expect(kinds[kind], kind).toEqual(expect.any(Object))
})

it('a setting that only one kind of forge has is named in the file of that kind alone', async () => {
  const own = Object.values(await loadKinds())
    .flatMap(({ credentials, registration, others }) =>
      Object.entries({ ...credentials, ...registration, ...others }),
    )
    .flatMap(([name, schema]) => settingsUnder(schema as Parameters<typeof settingsUnder>[0], [name]))
    .map(({ path: setting }) => setting.split('.'))
    // `id`, `port`, `enterprise` and `runnerGroup` are also words of other settings.
    .flatMap(([, last]) => (last === undefined || ['id', 'port'].includes(last) ? [] : [last]))
  expect(own.toSorted()).toEqual(['installationId', 'lockRenewTimeoutMs', 'privateKey', 'runnersUrl'])
  const files = globSync('**/*.ts', { cwd: settingsFolder }).filter(
    (file) => !/\.test\.ts$/.test(file) && !file.startsWith('forge/kinds/'),
  )
  for (const file of files) {
    const text = readFileSync(path.join(settingsFolder, file), 'utf8')
    for (const name of own) expect(text.includes(name), `${file} names ${name}`).toBe(false)
  }
})
