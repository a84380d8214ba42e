const own = ['github.com', 'www.github.com', 'github.localhost']

/**
 * The address of GitHub's REST API, from that of the web site or of the API itself: github.com and ghe.com have it on
 * a host of its own, GitHub Enterprise Server below `/api/v3`.
 */
export function apiUrl(url: string): string {
  const { protocol, host, hostname, pathname, origin } = new URL(url)
  const path = pathname.replace(/\/+$/, '')
  if (hostname.startsWith('api.')) return `${origin}${path}`
  if (own.includes(hostname) || hostname.endsWith('.ghe.com')) {
    // A token is never sent unencrypted, whatever the settings say, except to the machine's own name.
    const scheme = hostname === 'github.localhost' ? protocol : 'https:'
    return `${scheme}//api.${host.replace(/^www\./, '')}`
  }
  return path === '' ? `${origin}/api/v3` : `${origin}${path}`
}

/** The host of GitHub's web site, from the address of the site or of its API. */
export function siteHost(url: string): string {
  return new URL(url).host.replace(/^(?:www|api)\./, '')
}
