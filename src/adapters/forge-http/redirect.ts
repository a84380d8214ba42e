/** Redirects of one request that are followed: a repository that was renamed twice redirects twice. */
export const redirectsMax = 3

/**
 * Where a forge redirects a request, such as one about a renamed repository; null: it does not. The token goes to no
 * other origin, and a write is sent again only where the status says that its method stays the same.
 */
export function redirectTarget(response: Response, from: string, method: string): URL | null {
  const { status } = response
  const isRead = method === 'GET' && (status === 301 || status === 302)
  if (!isRead && status !== 307 && status !== 308) return null
  const location = response.headers.get('location') ?? ''
  if (!URL.canParse(location, from)) throw new Error(`it answered ${status} and led to no address`)
  const to = new URL(location, from)
  if (to.origin !== new URL(from).origin) throw new Error(`it led to another host: ${to.host}`)
  return to
}
