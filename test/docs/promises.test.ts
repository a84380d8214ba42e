import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../..')
/** A file of tests, a topic of the ledger's contract, the tests of its guards, or a suite. */
const attacked = /\.test\.ts`|`test\/contract\/ledger\/|`npm run test:|ledger\/guards\/`/
/** Paragraphs that promise nothing: measurements and reasons. */
const noPromise = ['**What the locks cost.**', '**Read-only, or gone after use?**', '**No library for it.**']

const documents = [
  { page: 'SECURITY.md', begins: /^- /, from: '## What is trusted', to: '## What nothing here promises' },
  { page: 'docs/design/pod-trust.md', begins: /^(- )?\*\*/, from: '# Who a pod is', to: '## What a pool' },
  { page: 'docs/design/ledger.md', begins: /^\*\*/, from: '# The ledger', to: null },
]

describe('a promise', () => {
  it.each(documents)('of $page names the test that attacks it', ({ page, begins, from, to }) => {
    const text = readFileSync(path.join(root, page), 'utf8')
    const part = text.slice(text.indexOf(from), to === null ? undefined : text.indexOf(to))
    const promises = part
      .split(/\n\n|\n(?=- )/)
      .filter((paragraph) => begins.test(paragraph))
      .filter((paragraph) => !noPromise.some((words) => paragraph.replace(/^- /, '').startsWith(words)))
    expect(promises.length).toBeGreaterThan(5)
    const unheld = promises.filter((paragraph) => !attacked.test(paragraph))
    expect(unheld.map((paragraph) => paragraph.slice(0, 80))).toEqual([])
  })
})
