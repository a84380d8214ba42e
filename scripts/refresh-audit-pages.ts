import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { encodeSnapshot } from '../src/snapshot/index.ts'
import { examples } from '../test/support/audits/examples.ts'
import { auditPages, refreshed, root } from '../test/support/audits/pages.ts'

const folder = path.join(root, 'docs/audits/examples')
mkdirSync(folder, { recursive: true })
for (const [name, make] of Object.entries(examples)) {
  const file = path.join(folder, `${name}.snapshot.gz`)
  writeFileSync(file, encodeSnapshot(make(), file))
}
for (const page of auditPages()) {
  const file = path.join(root, page)
  writeFileSync(file, await refreshed(readFileSync(file, 'utf8')))
  console.log(page)
}
