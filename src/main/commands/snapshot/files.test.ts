import { execFileSync } from 'node:child_process'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listed, podFact, snapshotOf } from '../../../domain/snapshot/testing/facts.ts'
import { readSnapshotFile, writeSnapshotFile } from './files.ts'

const snapshot = snapshotOf({ cluster: { pods: listed([podFact('a')]) } })
const collect = async () => snapshot

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-snapshots-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
})
const place = (name = 'a.gz') => join(folder, name)

describe('a snapshot on disk', () => {
  it('is read as it was written, by its owner alone, and nothing else is left behind', async () => {
    const { bytes } = await writeSnapshotFile(place(), { collect, isReplacing: false })
    expect(await readSnapshotFile(place())).toEqual(snapshot)
    expect([statSync(place()).size, statSync(place()).mode & 0o777]).toEqual([bytes, 0o600])
    expect(readdirSync(folder)).toEqual(['a.gz'])
  })

  it('that is there is not replaced, and nothing is collected for it', async () => {
    writeFileSync(place(), 'mine')
    const order = { collect: () => Promise.reject(new Error('collected')), isReplacing: false }
    await expect(writeSnapshotFile(place(), order)).rejects.toMatchObject({ code: 'E_SNAPSHOT_EXISTS' })
    expect(readFileSync(place(), 'utf8')).toBe('mine')
  })

  it('that came while facts were collected is not replaced either', async () => {
    const order = {
      collect: async () => {
        writeFileSync(place(), 'mine')
        return snapshot
      },
      isReplacing: false,
    }
    await expect(writeSnapshotFile(place(), order)).rejects.toMatchObject({ code: 'E_SNAPSHOT_EXISTS' })
    expect([readFileSync(place(), 'utf8'), readdirSync(folder)]).toEqual(['mine', ['a.gz']])
  })

  it('is replaced where that is asked for, and stays where collecting fails', async () => {
    writeFileSync(place(), 'mine')
    const failing = { collect: () => Promise.reject(new Error('away')), isReplacing: true }
    await expect(writeSnapshotFile(place(), failing)).rejects.toThrow('away')
    expect(readFileSync(place(), 'utf8')).toBe('mine')
    await writeSnapshotFile(place(), { collect, isReplacing: true })
    expect(await readSnapshotFile(place())).toEqual(snapshot)
  })

  it('in a folder that is not there is refused before anything is collected', async () => {
    const order = { collect: () => Promise.reject(new Error('collected')), isReplacing: false }
    await expect(writeSnapshotFile(join(folder, 'no', 'a.gz'), order)).rejects.toMatchObject({
      code: 'E_SNAPSHOT_UNWRITABLE',
    })
  })
})

describe('a file that is no snapshot', () => {
  it.each([
    ['is not there', () => place('none'), /there is no such file/],
    ['is a folder', () => folder, /it is a folder/],
    ['is a device without an end', () => '/dev/zero', /it is no ordinary file/],
    ['is a pipe that nobody writes', () => pipe(), /it is no ordinary file/],
  ])('because it %s is named with the reason', async (_, file, reason) => {
    const path = file()
    await expect(readSnapshotFile(path)).rejects.toMatchObject({
      code: 'E_SNAPSHOT_UNREADABLE',
      message: expect.stringMatching(reason),
    })
  })

  it('because it is far too large is not read at all', async () => {
    writeFileSync(place(), '')
    truncateSync(place(), 2 ** 40)
    await expect(readSnapshotFile(place())).rejects.toMatchObject({ code: 'E_SNAPSHOT_TOO_LARGE' })
  })
})

function pipe(): string {
  execFileSync('mkfifo', [place('pipe')])
  return place('pipe')
}
