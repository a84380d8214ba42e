import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Config } from '../../../platform/config/index.ts'
import { createEntropy } from '../../../platform/entropy.ts'
import { secretHashes } from './hashes.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-hashes-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const inFolder = (dataDir: string) =>
  secretHashes({ config: { dataDir } as Config, entropy: createEntropy() })
const value = Buffer.from('correct-horse')

describe('hashes of secrets', () => {
  it('of one data folder can be compared, and its key is made once, for its owner alone', async () => {
    const data = join(folder, 'data')
    const [one, other] = [await inFolder(data), await inFolder(data)]
    expect(one.scope).toMatch(/^data-folder-[0-9a-f]{16}$/)
    expect([other.scope, other.hash(value)]).toEqual([one.scope, one.hash(value)])
    expect(statSync(join(data, 'snapshot-key')).mode & 0o777).toBe(0o600)
  })

  it('of different values differ, and neither hash nor scope gives the key away', async () => {
    const { scope, hash } = await inFolder(folder)
    expect(hash(value)).not.toBe(hash(Buffer.from('correct-horsf')))
    expect(hash(value)).toMatch(/^[0-9a-f]{32}$/)
    const key = Buffer.from(readFileSync(join(folder, 'snapshot-key'), 'utf8'), 'base64url').toString('hex')
    expect(key).not.toContain(scope.slice(-16))
    expect(key).not.toContain(hash(new Uint8Array()))
  })

  it('of another data folder have another scope and are others', async () => {
    const [one, other] = [await inFolder(join(folder, 'a')), await inFolder(join(folder, 'b'))]
    expect(other.scope).not.toBe(one.scope)
    expect(other.hash(value)).not.toBe(one.hash(value))
  })

  it.each([
    ['cannot be made', 'data', ''],
    ['has a key file that is none', 'snapshot-key', 'short'],
  ])('where the folder %s are of this snapshot alone, and say so', async (_, name, content) => {
    writeFileSync(join(folder, name), content)
    const data = name === 'data' ? join(folder, name) : folder
    const [one, other] = [await inFolder(data), await inFolder(data)]
    expect(one.scope).toMatch(/^this-snapshot-alone-/)
    expect(other.scope).not.toBe(one.scope)
  })
})
