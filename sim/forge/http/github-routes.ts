import { Hono } from 'hono'
import {
  fullOrganizationPayload,
  fullRepositoryPayload,
  type Json,
  type Links,
  type Repository,
  repositoryPayload,
} from '../core/index.ts'
import { accountOf } from './access.ts'
import { notFound, refuse } from './answers.ts'
import { callerOf } from './caller.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'

const noInstallation =
  'You must authenticate with an installation access token in order to list repositories for an installation.'

export interface GitHubParts {
  readonly engine: Engine
  readonly rateLimit: RateLimit
}

/** GitHub's paths about the caller, accounts and repositories. */
export function githubRoutes({ engine: { core }, rateLimit }: GitHubParts): Hono {
  const app = new Hono()
  const { links, accounts } = core

  app.get('/rate_limit', (c) => {
    const budget = rateLimit.budget(c)
    return c.json({ resources: { core: budget, search: budget }, rate: budget })
  })

  app.get('/installation/repositories', (c) => {
    if (callerOf(c).kind !== 'installation') return refuse(c, 403, noInstallation)
    const seen = accounts.visibleTo(accountOf(accounts, callerOf(c)))
    const isWhole = seen.length === core.repositories().length
    const shown = page(c, seen).map((repository) => ownedPayload(repository, links))
    const selection = isWhole ? 'all' : 'selected'
    return c.json({ total_count: seen.length, repository_selection: selection, repositories: shown })
  })

  app.get('/user/repos', (c) => {
    if (callerOf(c).kind === 'installation') return refuse(c, 403, 'Resource not accessible by integration')
    const seen = accounts.visibleTo(null)
    return c.json(page(c, seen).map((repository) => ownedPayload(repository, links)))
  })

  app.get('/repos/:owner/:repo', (c) => {
    const repository = core.repository(`${c.req.param('owner')}/${c.req.param('repo')}`)
    return repository === null ? notFound(c) : c.json(fullRepositoryPayload(repository, links))
  })

  app.get('/orgs/:org', (c) => {
    const login = c.req.param('org')
    if (!accounts.isOrganization(login)) return notFound(c)
    const isPublic = accounts.visibleTo(login).filter((repository) => repository.isPublic ?? false)
    return c.json(fullOrganizationPayload(login, isPublic.length, links))
  })
  return app
}

/** In lists of what a caller sees, GitHub says what he may do there. */
function ownedPayload(repository: Repository, links: Links): Json {
  const permissions = { admin: true, maintain: true, push: true, triage: true, pull: true }
  return { ...repositoryPayload(repository, links), permissions }
}
