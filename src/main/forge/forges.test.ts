import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { forgeKindNames } from '../../domain/forge/index.ts'
import { loadForgeModule } from './forges.ts'

it('every registered kind of forge has its module, and every module is registered', async () => {
  const files = readdirSync(`${import.meta.dirname}/kinds`)
  expect(files.toSorted()).toEqual(forgeKindNames.map((kind) => `${kind}.ts`).toSorted())
  for (const kind of forgeKindNames) {
    expect(await loadForgeModule(kind), kind).toMatchObject({ open: expect.any(Function) })
  }
})
