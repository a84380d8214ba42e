import { isRecord } from '../../../../domain/is-record.ts'
import type { SecretFact } from '../../../../domain/snapshot/index.ts'
import { type Cursor, entriesIn, name, ShapeProblem } from './cursor.ts'
import { objectFact } from './object.ts'

/** The keyed hash of a value. */
export type Hash = (value: Uint8Array) => string

const pullSecretKey = '.dockerconfigjson'
const keyCharsMax = 253
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** A Secret without its values: they are hashed here, and end here. */
export function parseSecret(secret: Cursor, hash: Hash): SecretFact {
  const values = entriesIn(secret, 'data').map(([key, value]) => [key, bytesOf(value)] as const)
  const pullConfig = values.find(([key]) => key === pullSecretKey)
  const auths = pullConfig === undefined ? null : authsIn(pullConfig[1])
  return {
    ...objectFact(secret),
    type: name(secret, 'type') ?? 'Opaque',
    keys: values.map(([key, value]) => ({
      name: secret.mask(key, keyCharsMax),
      hash: hash(key === pullSecretKey && auths !== null ? canonical(auths) : value),
    })),
    registries: auths === null ? [] : auths.map(([registry]) => secret.mask(registry, keyCharsMax)),
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !base64.test(value)) throw new ShapeProblem('a value of data is no base64')
  return Buffer.from(value, 'base64')
}

/**
 * Credentials by registry, in order. Two pull secrets with the same credentials are the same, however their JSON is
 * written: `auth` is the base64 of user and password, which some tools write and others do not.
 */
function authsIn(config: Uint8Array): readonly (readonly [registry: string, auth: string])[] | null {
  const auths = jsonOf(config)
  if (!isRecord(auths) || !isRecord(auths.auths)) return null
  return Object.entries(auths.auths)
    .map(([registry, entry]) => [registry, authOf(isRecord(entry) ? entry : {})] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

function authOf(entry: Record<string, unknown>): string {
  const { auth, username, password } = entry
  if (typeof auth === 'string' && auth !== '') return auth
  if (typeof username !== 'string') return JSON.stringify(entry) // a token of another kind
  return Buffer.from(`${username}:${password}`).toString('base64')
}

function canonical(auths: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(auths))
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
}
