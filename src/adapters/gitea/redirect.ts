import { redirectTarget } from '../forge-http/index.ts'

/** Where Gitea redirects a request about a renamed repository, inside its own API; null: it does not. */
export function apiRedirect(response: Response, from: string, base: string, method: string): string | null {
  const to = redirectTarget(response, from, method)
  if (to === null) return null
  const api = new URL(`${base}/api/v1/`)
  if (!to.pathname.startsWith(api.pathname)) throw new Error(`it led out of its API: ${to.pathname}`)
  return to.href
}
