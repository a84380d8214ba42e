import { sign } from 'node:crypto'
import type { Instant } from '../../../domain/time.ts'

/** Our clock may be ahead of GitHub's by so much. */
const SKEW_SECONDS = 60
/** GitHub takes at most ten minutes. */
const LIFE_SECONDS = 9 * 60

/** The App's own word that it is the App. Throws where the key is none. */
export function appJwt(id: string, privateKey: string, now: Instant): string {
  const iat = Math.floor(now / 1000) - SKEW_SECONDS
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat, exp: iat + LIFE_SECONDS, iss: id })}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`
}
