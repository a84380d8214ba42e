import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { ApplyRecord } from '../../domain/remedy/managed-apply/index.ts'
import { beginApply } from '../../remedy/managed-apply/index.ts'
import { never, order, workingWorld } from '../../remedy/testing/apply-world.ts'
import { createApplyRecords } from './apply-records.ts'

let folder: string
beforeEach(() => {
  const parent = mkdtempSync(join(tmpdir(), 'holdfast-applies-'))
  onTestFinished(() => rmSync(parent, { recursive: true }))
  folder = join(parent, 'remedies', 'applies')
})
const open = () => createApplyRecords(folder)

/** A record as an apply leaves it. */
async function record(given: Partial<ApplyRecord> = {}): Promise<ApplyRecord> {
  const { record: made } = await beginApply(order, workingWorld().applyDeps(), never)
  return { ...made, ...given }
}

describe('records of applies in files', () => {
  it('are read by another process as every step of an apply wrote them, newest first', async () => {
    const world = workingWorld()
    const written: ApplyRecord[] = []
    const records = {
      ...open(),
      write: async (each: ApplyRecord) => {
        written.push(each)
        await open().write(each)
        expect(await open().list()).toEqual([each])
      },
    }
    await beginApply(order, world.applyDeps({ records }), never)
    expect(new Set(written.map(({ state }) => state)).size).toBeGreaterThan(7)
    const later = await record({ id: 'later', beganAt: Date.now() + 1 })
    await open().write(later)
    expect((await open().list()).map(({ id }) => id)).toEqual(['later', 'apply-1'])
  })

  it('are their owner’s alone, and leave no draft', async () => {
    await open().write(await record())
    expect(readdirSync(folder)).toEqual(['apply-1.json'])
    expect(statSync(join(folder, 'apply-1.json')).mode & 0o777).toBe(0o600)
  })

  it('are none where there is no folder', async () => {
    expect(await open().list()).toEqual([])
  })

  it.each(['', '{', '{"version":1}'])('are refused where one is damaged: %j', async (text) => {
    await open().write(await record())
    writeFileSync(join(folder, 'apply-1.json'), text)
    await expect(open().list()).rejects.toMatchObject({ code: 'E_APPLY_RECORD' })
  })

  it('drop the oldest finished ones, and never one that is unfinished', async () => {
    const base = await record()
    await open().write({ ...base, id: 'open', state: 'cap-freeze', beganAt: 0 })
    for (let index = 0; index < 202; index++)
      writeFileSync(
        join(folder, `old-${index}.json`),
        JSON.stringify({ ...base, id: `old-${index}`, beganAt: 1 + index }),
      )
    await open().write({ ...base, id: 'newest', beganAt: 1_000 })
    const ids = (await open().list()).map(({ id }) => id)
    expect([ids.length, ids.includes('open'), ids.includes('old-0')]).toEqual([202, true, false])
  })
})
