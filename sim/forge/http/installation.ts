import { type Context, Hono } from 'hono'
import {
  appPayload,
  enterpriseAccount,
  type Installation,
  installationPayload,
  tokenPayload,
} from '../core/index.ts'
import { suspendedMessage } from './access.ts'
import { idParam, notFound, refuse } from './answers.ts'
import type { Credentials } from './credentials.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'

/** Routes for the App itself: its installations, and tokens for them. */
export function appRoutes(appId: number, credentials: Credentials, { core }: Engine): Hono {
  const app = new Hono()
  const { accounts, links } = core
  const shown = (installation: Installation) =>
    installationPayload(installation, accounts.installationFacts(installation), links)
  const installationAt = (c: Context) => accounts.installation(idParam(c, 'id') ?? 0)

  app.get('/app', (c) =>
    c.json(appPayload(appId, accounts.subscribed(), accounts.installations().length, links)),
  )
  app.get('/app/installations', (c) => c.json(page(c, accounts.installations()).map(shown)))
  app.get('/app/installations/:id', (c) => {
    const installation = installationAt(c)
    return installation === null ? notFound(c) : c.json(shown(installation))
  })
  app.post('/app/installations/:id/access_tokens', (c) => {
    const installation = installationAt(c)
    if (installation === null) return notFound(c)
    if (installation.suspendedAt !== null) return refuse(c, 403, suspendedMessage)
    const { token, expiresAt } = credentials.issue(installation.id)
    const { isWhole } = accounts.installationFacts(installation)
    return c.json(tokenPayload(token, expiresAt, isWhole), 201)
  })
  app.get('/repos/:owner/:repo/installation', (c) => {
    const name = `${c.req.param('owner')}/${c.req.param('repo')}`
    const installation = core.repository(name) === null ? null : accounts.installationOf(name)
    return installation === null ? notFound(c) : c.json(shown(installation))
  })
  app.get('/enterprises/:enterprise/installation', (c) => {
    const account = enterpriseAccount(c.req.param('enterprise'))
    const found = accounts.installations().find((each) => each.account === account)
    return found === undefined ? notFound(c) : c.json(shown(found))
  })
  for (const path of ['/orgs/:login/installation', '/users/:login/installation']) {
    app.get(path, (c) => {
      const login = c.req.param('login') ?? ''
      const isMeant = accounts.isOrganization(login) === path.startsWith('/orgs/')
      const isThere = accounts.repositoriesOf(login).length > 0
      const all = accounts.installations()
      const found = all.find(({ account }) => account === login || (account === null && isThere))
      return found === undefined || !isMeant ? notFound(c) : c.json(shown(found))
    })
  }
  return app
}

/** Whether a path wants the App's own word instead of a token. */
export function isAppPath(path: string): boolean {
  if (path === '/app' || path.startsWith('/app/')) return true
  return /^\/(?:repos\/[^/]+\/[^/]+|(?:orgs|enterprises)\/[^/]+|users\/[^/]+)\/installation$/.test(path)
}
