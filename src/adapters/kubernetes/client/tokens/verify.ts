import { verify as verifySignature } from 'node:crypto'
import { isRecord } from '../../../../domain/is-record.ts'
import type { Clock } from '../../../../ports/clock.ts'
import type { Issuer, SigningKey } from './issuer.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import type { TokenReview } from './review.ts'

/**
 * What a token proves by itself. `refused`: it is none of the API server's, or not for us. `unsure`: only the API server
 * can say (discovery is closed; another issuer or another time than ours, under its own signature).
 */
type Verdict =
  | { readonly kind: 'proven'; readonly review: TokenReview }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unsure' }

/** Judges a token on the spot: garbage costs no request. */
export type VerifyToken = (token: string, audience: string) => Promise<Verdict>

type Json = Readonly<Record<string, unknown>>

const refused: Verdict = { kind: 'refused' }
const unsure: Verdict = { kind: 'unsure' }
/** Longer than any that an API server makes. */
const tokenCharsMax = 16_384

export function createVerifyToken(keys: IssuerKeys, clock: Pick<Clock, 'now'>): VerifyToken {
  return async (token, audience) => {
    const issuer = await keys.current()
    if (issuer === null) return unsure
    const signed = partsOf(token)
    if (signed === null) return refused
    const { head, text, signature } = signed
    const { kid } = head
    if (typeof kid !== 'string') return refused
    const key = issuer.keys.get(kid) ?? (await newKey(keys, kid))
    if (key === null) return refused
    if (head.alg !== key.algorithm || head.crit !== undefined || !isSignedBy(key, text, signature))
      return refused
    return judged(jsonIn(signed.payload), issuer, audience, clock.now())
  }
}

async function newKey(keys: IssuerKeys, kid: string): Promise<SigningKey | null> {
  return (await keys.withNewKeys())?.keys.get(kid) ?? null
}

/** From here on the signature makes the claims the API server's own. */
function judged(claims: Json | null, issuer: Issuer, audience: string, now: number): Verdict {
  if (claims === null) return refused
  const { iss, aud, exp, nbf, sub } = claims
  const audiences = textsOf(Array.isArray(aud) ? aud : [aud])
  if (!audiences.includes(audience) || typeof sub !== 'string') return refused
  // An API server may take tokens of an earlier issuer too, and its clock counts, not ours.
  const isOfNow =
    typeof exp === 'number' && exp * 1_000 > now && (nbf === undefined || Number(nbf) * 1_000 <= now)
  if (iss !== issuer.name || !isOfNow) return unsure
  const bound = mapOf(claims['kubernetes.io'])
  const [namespace, account] = [bound.namespace, mapOf(bound.serviceaccount).name]
  if (sub !== `system:serviceaccount:${namespace}:${account}`) return refused
  const [pod, node] = [mapOf(bound.pod), mapOf(bound.node)]
  const extra = {
    ...extraOf('pod-name', pod.name),
    ...extraOf('pod-uid', pod.uid),
    ...extraOf('node-name', node.name),
  }
  return { kind: 'proven', review: { isAuthenticated: true, audiences: [audience], username: sub, extra } }
}

/** As a review names it. */
function extraOf(name: string, value: unknown): Readonly<Record<string, readonly string[]>> {
  return typeof value === 'string' ? { [`authentication.kubernetes.io/${name}`]: [value] } : {}
}

function isSignedBy({ key, hash }: SigningKey, text: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  return verifySignature(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, bytes)
}

function partsOf(token: string) {
  if (token.length > tokenCharsMax) return null
  const [first, payload, signature, ...others] = token.split('.')
  if (!first || !payload || !signature || others.length > 0) return null
  const head = jsonIn(first)
  return head === null ? null : { head, payload, signature, text: `${first}.${payload}` }
}

function jsonIn(part: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function mapOf(value: unknown): Json {
  return isRecord(value) ? value : {}
}

function textsOf(values: readonly unknown[]): readonly string[] {
  return values.filter((each) => typeof each === 'string')
}
