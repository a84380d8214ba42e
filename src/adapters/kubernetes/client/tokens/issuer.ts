import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Transport } from '../transport/send.ts'

const configuration = '/.well-known/openid-configuration'
/** By the connection that we have, whatever address the configuration names for others. */
const keysPath = '/openid/v1/jwks'
const defaultTimeoutMs = 10_000
/** An API server has one key, and for a while after a change two. */
const keysMax = 100

/** With which algorithm of which hash a key signs; what else a token names is not taken. */
const curves: Readonly<Record<string, Omit<SigningKey, 'key'>>> = {
  'P-256': { algorithm: 'ES256', hash: 'sha256' },
  'P-384': { algorithm: 'ES384', hash: 'sha384' },
  'P-521': { algorithm: 'ES512', hash: 'sha512' },
}
const rsa = { algorithm: 'RS256', hash: 'sha256' } as const

export interface SigningKey {
  readonly algorithm: string
  readonly hash: string
  readonly key: KeyObject
}

/** The issuer of the tokens of service accounts, and its keys. */
export interface Issuer {
  readonly name: string
  /** By key id. */
  readonly keys: ReadonlyMap<string, SigningKey>
}

/** Reads what the API server publishes about itself; fails as requests do where it does not. */
export type ReadIssuer = (signal: AbortSignal) => Promise<Issuer>

export function createReadIssuer(transport: Transport): ReadIssuer {
  const read = async (
    asked: Pick<ApiRequest, 'path' | 'answer'>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> => {
    const request: ApiRequest = { method: 'GET', timeoutMs: defaultTimeoutMs, ...asked }
    const { body } = await transport.send(request, signal)
    if (typeof body !== 'object' || body === null) throw notAnApi(request, 'expected an object')
    return body as Record<string, unknown>
  }
  return async (signal) => {
    const [{ issuer }, { keys }] = await Promise.all([
      read({ path: configuration }, signal),
      read({ path: keysPath, answer: 'keys' }, signal),
    ])
    if (typeof issuer !== 'string' || issuer === '' || !Array.isArray(keys)) {
      throw notAnApi({ method: 'GET', path: configuration }, 'expected an issuer and its keys')
    }
    return { name: issuer, keys: new Map(keys.slice(0, keysMax).flatMap(keyOf)) }
  }
}

/** A key that is not for signatures, or of a kind that nobody here knows, verifies nothing. */
function keyOf(given: unknown): (readonly [string, SigningKey])[] {
  const { kid, kty, crv, use } = (given ?? {}) as JsonWebKey & { kid?: unknown; use?: unknown }
  const kind = kty === 'RSA' ? rsa : kty === 'EC' ? curves[`${crv}`] : undefined
  if (typeof kid !== 'string' || kind === undefined || (use !== undefined && use !== 'sig')) return []
  try {
    return [[kid, { ...kind, key: createPublicKey({ key: given as JsonWebKey, format: 'jwk' }) }]]
  } catch {
    return [] // it is none
  }
}
