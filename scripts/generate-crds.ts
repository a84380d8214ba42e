import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { definitionFiles } from './crds.ts'

const root = join(import.meta.dirname, '..')

for (const { path, render } of definitionFiles) {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, render())
  console.log(path)
}
