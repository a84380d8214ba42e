const own = ['github.com', 'www.github.com', 'github.localhost']

/**
 * Where GitHub's REST API is, from the address that people open or from that of the API itself: GitHub's own
 * hosts have it on a host of its own, GitHub Enterprise Server below `/api/v3`.
 */
export function apiUrl(url: string): string {
  const { protocol, host, hostname, pathname, origin } = new URL(url)
  const path = pathname.replace(/\/+$/, '')
  if (hostname.startsWith('api.')) return `${origin}${path}`
  if (own.includes(hostname) || hostname.endsWith('.ghe.com')) {
    // A token never travels in the clear, whatever was written; the last name is that of a machine's own.
    const scheme = hostname === 'github.localhost' ? protocol : 'https:'
    return `${scheme}//api.${host.replace(/^www\./, '')}`
  }
  return path === '' ? `${origin}/api/v3` : `${origin}${path}`
}
