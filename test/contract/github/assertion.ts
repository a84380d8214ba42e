import { sign } from 'node:crypto'
import { appId, privateKey } from './forge.ts'

/** The App's own token (a JWT) as GitHub documents it: valid for some minutes, signed with RS256. */
export function assertion(nowMs: number, claims: Readonly<Record<string, unknown>> = {}): string {
  const nowSeconds = Math.floor(nowMs / 1000)
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = { iat: nowSeconds - 60, exp: nowSeconds + 540, iss: String(appId), ...claims }
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(payload)}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`
}
