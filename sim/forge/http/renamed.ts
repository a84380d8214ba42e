import type { MiddlewareHandler } from 'hono'
import type { Engine } from './engine.ts'

const byName = /^((?:\/api\/v3)?)\/repos\/([^/]+\/[^/]+)/
const byNumber = /^\/repositories\/(\d+)/

/** Leads from a name that a repository had to its number, as GitHub does: 301 for what reads, 307 for what acts. */
export function renamed({ core: { accounts } }: Engine): MiddlewareHandler {
  return async (c, next) => {
    const { pathname, search, origin } = new URL(c.req.url)
    const [whole = '', prefix = '', fullName = ''] = byName.exec(pathname) ?? []
    const repository = whole === '' ? null : accounts.formerly(decodeURIComponent(fullName))
    if (repository === null) return next()
    const url = `${origin}${prefix}/repositories/${repository.id}${pathname.slice(whole.length)}${search}`
    const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
    const message = isRead ? 'Moved Permanently' : 'Temporary Redirect'
    const body = {
      message,
      url,
      documentation_url:
        'https://docs.github.com/rest/guides/best-practices-for-integrators#follow-redirects',
    }
    return c.json(body, isRead ? 301 : 307, { location: url })
  }
}

/** The path that a repository has by its name, where it is asked for by its number. */
export function namedPath({ core }: Engine, path: string): string {
  const number = byNumber.exec(path)?.[1]
  if (number === undefined) return path
  const repository = core.repositories().find(({ id }) => id === Number(number))
  return repository === undefined ? path : path.replace(byNumber, `/repos/${repository.fullName}`)
}
