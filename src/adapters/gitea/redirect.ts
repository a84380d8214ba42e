/** A name that leads to one that leads on is followed so often. */
export const hopsMax = 3

/**
 * Where a renamed repository is, by an answer that leads on; null: it leads nowhere. Gitea leads to its own API; our token
 * goes nowhere else, and what changes something is sent again only where the forge says so.
 */
export function leadsTo(response: Response, from: string, base: string, method: string): string | null {
  const { status } = response
  const isRead = method === 'GET' && (status === 301 || status === 302)
  if (!isRead && status !== 307 && status !== 308) return null
  const location = response.headers.get('location') ?? ''
  if (!URL.canParse(location, from)) throw new Error(`it answered ${status} and led to no address`)
  const to = new URL(location, from)
  const api = new URL(`${base}/api/v1/`)
  if (to.origin !== api.origin) throw new Error(`it led to another host: ${to.host}`)
  if (!to.pathname.startsWith(api.pathname)) throw new Error(`it led out of its API: ${to.pathname}`)
  return to.href
}
