import { describe, expect, it } from 'vitest'
import { hash } from '../testing/ground.ts'
import { cursorOf, ShapeProblem } from './cursor.ts'
import { createMask } from './mask.ts'
import { parseSecret } from './secret.ts'

const metadata = { name: 'pull', namespace: 'ci', uid: 'u', resourceVersion: '1' }
const parsed = (data: object, type?: string) =>
  parseSecret(cursorOf({ metadata, data, type }, createMask()), hash)
const pull = (config: unknown) =>
  parsed({ '.dockerconfigjson': btoa(JSON.stringify(config)) }, 'kubernetes.io/dockerconfigjson')
const hashOf = (config: unknown) => pull(config).keys[0]?.hash

describe('a Secret', () => {
  it('is known by its keys and their hashes, never by their values', () => {
    const fact = parsed({ github_app_id: btoa('1234'), github_app_private_key: btoa('swordfish') })
    expect(fact).toMatchObject({
      type: 'Opaque',
      keys: [
        { name: 'github_app_id', hash: hash(Buffer.from('1234')) },
        { name: 'github_app_private_key', hash: hash(Buffer.from('swordfish')) },
      ],
      registries: [],
    })
    expect(JSON.stringify(fact)).not.toMatch(new RegExp(`swordfish|${btoa('swordfish')}`))
  })

  it('with a value that is no base64 is not read, and the value not repeated', () => {
    expect(() => parsed({ key: 'sword fish!' })).toThrow(new ShapeProblem('a value of data is no base64'))
    expect(() => parsed({ key: 7 })).toThrow(ShapeProblem)
  })
})

describe('a pull secret', () => {
  const auth = btoa('ci:swordfish')

  it('names its registries', () => {
    expect(pull({ auths: { 'ghcr.io': { auth }, 'docker.io': { auth } } }).registries).toEqual([
      'docker.io',
      'ghcr.io',
    ])
  })

  it('with the same credentials has the same hash, however they are written', () => {
    const one = hashOf({ auths: { 'ghcr.io': { auth }, 'docker.io': { auth } } })
    const other = {
      'docker.io': { auth, email: 'x@y' },
      'ghcr.io': { password: 'swordfish', username: 'ci' },
    }
    expect(hashOf({ auths: other })).toBe(one)
  })

  it('with others has another', () => {
    const one = hashOf({ auths: { 'ghcr.io': { auth } } })
    expect(hashOf({ auths: { 'ghcr.io': { auth: btoa('ci:trout') } } })).not.toBe(one)
    expect(hashOf({ auths: { 'quay.io': { auth } } })).not.toBe(one)
    expect(hashOf({ auths: { 'ghcr.io': { identitytoken: 'a' } } })).not.toBe(
      hashOf({ auths: { 'ghcr.io': { identitytoken: 'b' } } }),
    )
  })

  it('that is none is hashed as it is, and names no registry', () => {
    for (const config of ['text', { auths: [] }, null]) {
      expect(pull(config)).toMatchObject({
        registries: [],
        keys: [{ hash: hash(Buffer.from(JSON.stringify(config))) }],
      })
    }
  })
})
