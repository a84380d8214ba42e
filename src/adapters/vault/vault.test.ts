import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { entropy } from '../../../test/support/machine.ts'
import { temporaryFolder } from '../../../test/support/temporary.ts'
import { untilTestEnds } from '../../../test/support/until-test-ends.ts'
import { createVault, type KeyRing, keyRingOf, loadOrCreateKeyRing, rotateKey } from './index.ts'

const ring = (current: string, ...ids: string[]): KeyRing => ({
  current,
  keys: new Map([current, ...ids].map((id) => [id, entropy.bytes(32)])),
})

describe('the vault', () => {
  it('opens a sealed secret in the same context', () => {
    const vault = createVault(ring('a'), entropy)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, context) => {
        expect(vault.open(vault.seal(secret, context), context)).toBe(secret)
      }),
    )
    expect(vault.open(vault.seal(Buffer.from('bytes'), 'x'), 'x')).toBe('bytes')
  })

  it('does not open it in another context', () => {
    const vault = createVault(ring('a'), entropy)
    const sealed = vault.seal('secret', 'attempt-1')
    expect(() => vault.open(sealed, 'attempt-2')).toThrow(expect.objectContaining({ code: 'E_KEY_WRONG' }))
  })

  it('does not open it when any bit was changed', () => {
    const vault = createVault(ring('a'), entropy)
    const { keyId, bytes } = vault.seal('secret', 'x')
    for (let index = 0; index < bytes.length * 8; index++) {
      const changed = Uint8Array.from(bytes)
      changed[index >> 3] = (changed[index >> 3] ?? 0) ^ (1 << (index & 7))
      expect(() => vault.open({ keyId, bytes: changed }, 'x')).toThrow(/does not open with key "a"/)
    }
    expect(() => vault.open({ keyId, bytes: bytes.subarray(0, 10) }, 'x')).toThrow(/does not open/)
  })

  it('hides the secret and never seals it the same way twice', () => {
    const vault = createVault(ring('a'), entropy)
    const [one, two] = [vault.seal('secret', 'x'), vault.seal('secret', 'x')]
    expect(Buffer.from(one.bytes).includes('secret')).toBe(false)
    expect(Buffer.from(one.bytes).equals(Buffer.from(two.bytes))).toBe(false)
    expect(one.bytes.length).toBe(1 + 12 + 16 + 'secret'.length)
  })

  it('names a missing key, and how to supply it', () => {
    const sealed = createVault(ring('old'), entropy).seal('secret', 'x')
    const error = caught(() => createVault(ring('new'), entropy).open(sealed, 'x'))
    expect(error).toMatchObject({ code: 'E_KEY_UNKNOWN', params: { keyId: 'old', known: ['new'] } })
    expect(error).toMatchObject({ entry: { hint: expect.stringMatching(/Add the old key/) } })
  })

  it('reports a key that differs under the same id', () => {
    const sealed = createVault(ring('a'), entropy).seal('secret', 'x')
    expect(caught(() => createVault(ring('a'), entropy).open(sealed, 'x'))).toMatchObject({
      code: 'E_KEY_WRONG',
    })
  })
})

describe('the key file', () => {
  it('is created once, for its owner only, and read again', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'keys.json')
    const [one, two] = await Promise.all([
      loadOrCreateKeyRing(file, entropy),
      loadOrCreateKeyRing(file, entropy),
    ])
    expect(one).toEqual(two)
    expect(await loadOrCreateKeyRing(file, entropy)).toEqual(one)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder.path)).toEqual(['keys.json'])
  })

  it('gets a new current key and keeps the old ones', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'keys.json')
    const before = createVault(await loadOrCreateKeyRing(file, entropy), entropy)
    const sealed = before.seal('secret', 'x')
    const after = createVault(await rotateKey(file, entropy), entropy)
    expect(after.currentKeyId).not.toBe(before.currentKeyId)
    expect(after.open(sealed, 'x')).toBe('secret')
    expect((await loadOrCreateKeyRing(file, entropy)).current).toBe(after.currentKeyId)
    expect(await readdir(folder.path)).toEqual(['keys.json'])
  })

  it('loses no key when it is rotated twice at once', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'keys.json')
    await loadOrCreateKeyRing(file, entropy)
    const rotations = await Promise.allSettled([rotateKey(file, entropy), rotateKey(file, entropy)])
    const { keys } = await loadOrCreateKeyRing(file, entropy)
    const done = rotations.filter((result) => result.status === 'fulfilled')
    expect(done.length).toBeGreaterThan(0)
    for (const { value } of done) expect(keys.has(value.current)).toBe(true)
  })

  it('is rotated after a rotation that was killed', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'keys.json')
    await loadOrCreateKeyRing(file, entropy)
    await writeFile(`${file}.rotating`, '4194999') // above the largest pid there is
    expect((await rotateKey(file, entropy)).keys.size).toBe(2)
  })

  it('is refused when others may read it', async () => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'keys.json')
    await loadOrCreateKeyRing(file, entropy)
    await chmod(file, 0o644)
    await expect(loadOrCreateKeyRing(file, entropy)).rejects.toThrow(/chmod 600/)
  })

  it.each([
    ['no JSON', '{"current"', /not JSON/],
    ['another shape', '{"keys": []}', /expected \{"current"/],
    ['a short key', '{"current": "a", "keys": {"a": "c2hvcnQ="}}', /key "a" has 5 bytes, expected 32/],
    ['no current key', '{"current": "b", "keys": {}}', /current key "b" is not among its keys/],
  ])('is refused when it holds %s, and stays as it is', async (_, text, message) => {
    const folder = untilTestEnds(await temporaryFolder())
    const file = path.join(folder.path, 'keys.json')
    await writeFile(file, text, { mode: 0o600 })
    await expect(loadOrCreateKeyRing(file, entropy)).rejects.toThrow(message)
    await expect(rotateKey(file, entropy)).rejects.toThrow(message)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('never quotes a key in an error', () => {
    const secret = Buffer.alloc(31, 7).toString('base64')
    expect(String(caught(() => keyRingOf({ current: 'a', keys: { a: secret } }, 'x')))).not.toContain(secret)
  })
})

function caught(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('expected an error')
}
