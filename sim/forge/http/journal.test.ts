import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { mountSmallDisk, whyNoMounts } from '../../../test/support/small-disk.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createForgeCore, type ForgeCore } from '../core/index.ts'
import { seededEntropy } from '../core/seeded-entropy.ts'
import { openJournal } from './journal.ts'

const noMounts = whyNoMounts()
if (noMounts !== null) console.warn(`NOT TRIED, a journal on a full disk: ${noMounts}`)

describe("the simulated forge's journal", () => {
  it.skipIf(noMounts !== null)(
    'on a disk that others fill takes some hundred steps more, then refuses the next one before it happens',
    async () => {
      const disk = untilTestEnds(await mountSmallDisk(8))
      const core = createForgeCore({ entropy: seededEntropy(1) })
      const journal = openJournal(disk.path)
      const step = (now: number) => {
        journal.requireRoom()
        submit(core, now)
        journal.append(core.takeChanges(), core.counters())
      }
      step(1)
      await disk.fill(0)
      let taken = 0
      const fillUp = () => {
        for (; taken < 10_000; taken += 1) step(2 + taken)
      }
      expect(fillUp).toThrow('ENOSPC')
      expect(taken).toBeGreaterThan(100)
      expect(reopened(disk.path).snapshot()).toEqual(core.snapshot())
      await disk.empty()
      step(20_000)
      journal.close()
      expect(reopened(disk.path).snapshot()).toEqual(core.snapshot())
    },
  )

  it('returns the appended entries, and the entries from before a compaction', async () => {
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

  it('is readable for its owner alone: it holds secrets', async () => {
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
