import { Hono } from 'hono'
import type { Clock, Instant } from '../../../src/ports/clock.ts'
import { appPayload, installationId, installationPayload, type Links, tokenPayload } from '../core/index.ts'
import { idParam, notFound, refuse } from './answers.ts'
import type { Credentials } from './credentials.ts'
import { page } from './pages.ts'

export interface Installation {
  readonly suspendedAt: Instant | null
  suspend(isSuspended: boolean): void
}

/** Whether the installation may act at all: its owner can suspend it. */
export function createInstallation(clock: Clock): Installation {
  let suspendedAt: Instant | null = null
  return {
    get suspendedAt() {
      return suspendedAt
    },
    suspend(isSuspended) {
      suspendedAt = isSuspended ? clock.now() : null
    },
  }
}

export const SUSPENDED = 'This installation has been suspended'

/** What the App itself may call: its installation, and tokens for it. */
export function appRoutes(
  appId: number,
  credentials: Credentials,
  installation: Installation,
  links: Links,
): Hono {
  const app = new Hono()
  const shown = () => installationPayload(appId, installation.suspendedAt, links)
  app.get('/app', (c) => c.json(appPayload(appId, links)))
  app.get('/app/installations', (c) => c.json(page(c, [shown()])))
  app.get('/app/installations/:id', (c) =>
    idParam(c, 'id') === installationId ? c.json(shown()) : notFound(c),
  )
  app.post('/app/installations/:id/access_tokens', (c) => {
    if (idParam(c, 'id') !== installationId) return notFound(c)
    if (installation.suspendedAt !== null) return refuse(c, 403, SUSPENDED)
    const { token, expiresAt } = credentials.issue()
    return c.json(tokenPayload(token, expiresAt), 201)
  })
  return app
}
