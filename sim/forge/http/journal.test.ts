import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createForgeCore, type ForgeCore } from '../core/index.ts'
import { seededEntropy } from '../core/seeded-entropy.ts'
import { openJournal } from './journal.ts'

describe("the simulated forge's journal", () => {
  it('gives back what was appended, and what was folded before', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const core = createForgeCore({ entropy: seededEntropy(1) })
    const journal = openJournal(folder.path)
    submit(core, 1)
    journal.append(core.takeChanges(), core.counters())
    journal.fold(core.snapshot())
    submit(core, 2)
    journal.append(core.takeChanges(), core.counters())
    journal.close()
    expect(reopened(folder.path).snapshot()).toEqual(core.snapshot())
    expect(readdirSync(folder.path).sort()).toEqual(['journal-1.jsonl', 'snapshot.json'])
  })

  it('leaves out a line that a kill cut short, and goes on behind the last whole one', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const core = createForgeCore({ entropy: seededEntropy(1) })
    const journal = openJournal(folder.path)
    submit(core, 1)
    journal.append(core.takeChanges(), core.counters())
    journal.close()
    const file = path.join(folder.path, 'journal-0.jsonl')
    appendFileSync(file, '{"changes":[{"table":"jo')
    expect(reopened(folder.path).snapshot()).toEqual(core.snapshot())
    const again = openJournal(folder.path)
    submit(core, 2)
    again.append(core.takeChanges(), core.counters())
    again.close()
    expect(reopened(folder.path).snapshot()).toEqual(core.snapshot())
    expect(readFileSync(file, 'utf8')).not.toContain('"jo{')
  })

  it('lets nobody else read it: it holds secrets', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const journal = openJournal(folder.path)
    journal.fold(createForgeCore({ entropy: seededEntropy(1) }).snapshot())
    journal.close()
    for (const name of readdirSync(folder.path)) {
      expect(statSync(path.join(folder.path, name)).mode & 0o077).toBe(0)
    }
  })
})

function submit(core: ForgeCore, now: number): void {
  const job = { name: 'j', labels: ['linux'], script: 'true' }
  core.submit({ repository: 'acme/shop', workflow: 'w', jobs: [job] }, now)
}

function reopened(folder: string): ForgeCore {
  const { kept, close } = openJournal(folder)
  close()
  const snapshot = kept.snapshot && { snapshot: kept.snapshot }
  const core = createForgeCore({ entropy: seededEntropy(2), ...snapshot })
  for (const { changes, counters } of kept.entries) core.replay(changes, counters)
  return core
}
