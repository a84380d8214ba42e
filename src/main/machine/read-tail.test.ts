import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTail } from './read-tail.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-read-newest-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function file(content: string): string {
  const path = join(folder, 'a.log')
  writeFileSync(path, content)
  utimesSync(path, 1_000, 1_000)
  return path
}
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe('the newest bytes of a file', () => {
  it('are all of a short one, with when it was written', async () => {
    const { bytes, isCut, writtenAt } = await readTail(file('hello'), 100)
    expect([textOf(bytes), isCut, writtenAt]).toEqual(['hello', false, 1_000_000])
  })

  it('are the end of a long one', async () => {
    const { bytes, isCut } = await readTail(file(`${'x'.repeat(1_000_000)}end`), 10)
    expect([textOf(bytes), isCut]).toEqual(['xxxxxxxend', true])
  })

  it('are nothing of an empty one', async () => {
    const { bytes, isCut } = await readTail(file(''), 10)
    expect([bytes.length, isCut]).toEqual([0, false])
  })

  it('are read from a device without an end of its own size', async () => {
    const { bytes, writtenAt } = await readTail('/dev/null', 10)
    expect([bytes.length, writtenAt]).toEqual([0, null])
  })

  it.each([
    ['that is not there', () => join(folder, 'none'), 'ENOENT'],
    ['that is a folder', () => folder, 'it is a folder'],
  ])('of one %s are an error that says so', async (_, path, reason) => {
    await expect(readTail(path(), 10)).rejects.toMatchObject({
      code: 'E_LOG_UNREADABLE',
      params: { reason },
    })
  })
})
