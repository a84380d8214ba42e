import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'
import type { Clock, Instant } from '../../../src/ports/clock.ts'
import type { Caller } from './caller.ts'
import { isSameSecret } from './secret.ts'

/** GitHub's own: a token of an installation is good for an hour, a word of the App for ten minutes. */
const tokenLifeMs = 60 * 60_000
const assertionLifeSecondsMax = 10 * 60
const expiryDigits = 16
const idDigits = 12

/** A GitHub App that may call; it proves itself with the private half of this key. */
export interface AppIdentity {
  readonly id: number
  /** By which it may name itself too, as GitHub recommends. */
  readonly clientId?: string | undefined
  readonly publicKeyPem: string
}

type Judged = { readonly caller: Caller } | { readonly refused: string }

export interface Credentials {
  judge(bearer: string): Judged
  /** A fresh token of an installation. */
  issue(installationId: number): { readonly token: string; readonly expiresAt: Instant }
  /** From now on no token is good that was issued before. */
  revoke(): void
}

const headerSchema = z.object({ alg: z.literal('RS256') })
const claimsSchema = z.object({
  iss: z.union([z.string(), z.int()]),
  iat: z.int(),
  exp: z.int(),
})

/** The accepted credentials of the API. Issued tokens are signed instead of remembered, so that they outlive a restart. */
export function createCredentials(
  token: string,
  identity: AppIdentity | null,
  clock: Pick<Clock, 'now'>,
  isInstallation: (id: number) => boolean,
): Credentials {
  const publicKey = identity === null ? null : createPublicKey(identity.publicKeyPem)
  const signed = (facts: string) => createHmac('sha256', token).update(`token ${facts}`).digest('hex')
  let revokedAt: Instant = 0
  const issuedFor = (bearer: string): number | null => {
    const [, facts = '', signature = ''] = /^ghs_([0-9]{28})([0-9a-f]{64})$/.exec(bearer) ?? []
    const expiresAt = Number(facts.slice(0, expiryDigits))
    const isAlive = expiresAt > clock.now() && expiresAt - tokenLifeMs > revokedAt
    return isSameSecret(signature, signed(facts)) && isAlive ? Number(facts.slice(expiryDigits)) : null
  }
  return {
    judge(bearer) {
      if (bearer.split('.').length === 3) return judgeAssertion(bearer, identity, publicKey, clock.now())
      if (isSameSecret(bearer, token)) return { caller: { kind: 'token' } }
      const id = issuedFor(bearer)
      const isInstalled = id !== null && isInstallation(id)
      return isInstalled ? { caller: { kind: 'installation', id } } : { refused: 'Bad credentials' }
    },
    issue(installationId) {
      // One issued in the very moment of a revocation is a new one.
      const expiresAt = Math.max(clock.now(), revokedAt + 1) + tokenLifeMs
      const id = String(installationId).padStart(idDigits, '0')
      const facts = `${String(expiresAt).padStart(expiryDigits, '0')}${id}`
      return { token: `ghs_${facts}${signed(facts)}`, expiresAt }
    },
    revoke() {
      revokedAt = clock.now()
    },
  }
}

function judgeAssertion(
  assertion: string,
  identity: AppIdentity | null,
  publicKey: KeyObject | null,
  now: Instant,
): Judged {
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const isRs256 = headerSchema.safeParse(jsonOf(header)).success
  const parsed = claimsSchema.safeParse(jsonOf(claims))
  if (!isRs256 || !parsed.success || publicKey === null || identity === null) {
    return { refused: 'A JSON web token could not be decoded' }
  }
  const isSigned = verify(
    'RSA-SHA256',
    Buffer.from(`${header}.${claims}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) return { refused: 'A JSON web token could not be decoded' }
  const { iss, iat, exp } = parsed.data
  const nowSeconds = now / 1000
  const isKnown = String(iss) === String(identity.id) || iss === identity.clientId
  if (!isKnown) return { refused: 'Integration not found' }
  if (exp <= nowSeconds) {
    return { refused: "'Expiration time' claim ('exp') must be a numeric value representing the future time" }
  }
  if (exp > nowSeconds + assertionLifeSecondsMax) {
    return { refused: "'Expiration time' claim ('exp') is too far in the future" }
  }
  if (iat > nowSeconds) {
    return { refused: "'Issued at' claim ('iat') must be an Integer representing the time of the assertion" }
  }
  return { caller: { kind: 'app' } }
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
