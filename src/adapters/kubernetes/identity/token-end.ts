/**
 * When a token ends by its own word, in milliseconds; null where it does not say. Nothing is trusted by it: it only
 * bounds for how long the API server's word is.
 */
export function tokenEndMs(token: string): number | null {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return null
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    const { exp } = (claims ?? {}) as { readonly exp?: unknown }
    return typeof exp === 'number' && Number.isFinite(exp) ? exp * 1_000 : null
  } catch {
    return null
  }
}
