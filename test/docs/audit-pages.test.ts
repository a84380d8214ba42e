import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { audits } from '../../src/domain/audit/index.ts'
import { decodeSnapshot } from '../../src/snapshot/index.ts'
import { examples } from '../support/audits/examples.ts'
import { auditPages, refreshed, root } from '../support/audits/pages.ts'

const pages = auditPages()
const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8')
const howTo = 'Run: npm run docs'

describe('the pages of the audits', () => {
  it.each(pages)('%s shows what its commands print', async (page) => {
    const text = textOf(page)
    expect(text, howTo).toBe(await refreshed(text))
  })

  it.each(Object.keys(examples))('judge the snapshot %s as it is made', (name) => {
    const file = path.join(root, `docs/audits/examples/${name}.snapshot.gz`)
    expect(decodeSnapshot(readFileSync(file), file), howTo).toEqual(examples[name]?.())
  })

  it.each(audits)('there is one for $name, with a command of it and all its classes', ({ name, classes }) => {
    const text = textOf(`docs/audits/${name}.md`)
    expect(text).toContain(`$ holdfast audit ${name} `)
    for (const each of classes) {
      expect(each.page).toBe(`${name}.md`)
      expect(text).toContain(`| [\`${each.name}\`]`)
    }
  })

  it('stand in the index, every one', () => {
    const index = textOf('docs/audits/README.md')
    const names = pages.flatMap((page) => /^docs\/audits\/(?!README)(.+)$/.exec(page)?.[1] ?? [])
    expect(names.filter((name) => !index.includes(`](${name})`))).toEqual([])
  })
})
