import { type Context, Hono } from 'hono'
import {
  admits,
  defaultGroup,
  minimalRepositoryPayload,
  organizationPayload,
  type Reads,
  type RunnerGroup,
  runnerGroupPayload,
  runnerPayload,
} from '../core/index.ts'
import { idParam, notFound } from './answers.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import { groupPlaces, scopeOf } from './scopes.ts'

/** Groups of runners: what they are, and whom they serve. */
export function groupRoutes({ core }: Engine, read: () => Reads): Hono {
  const app = new Hono()
  const { links, accounts } = core
  const groupAt = (c: Context): RunnerGroup | null =>
    core.hasScope(scopeOf(c)) ? accounts.group(scopeOf(c), idParam(c, 'group') ?? 0) : null

  for (const place of groupPlaces) {
    app.get(`${place}/actions/runner-groups`, (c) => {
      if (!core.hasScope(scopeOf(c))) return notFound(c)
      const found = accounts.groups(scopeOf(c)).filter((group) => isVisible(c, group))
      const shown = page(c, found).map((group) => runnerGroupPayload(group, addressOf(c), links))
      return c.json({ total_count: found.length, runner_groups: shown })
    })
    app.get(`${place}/actions/runner-groups/:group`, (c) => {
      const group = groupAt(c)
      return group === null ? notFound(c) : c.json(runnerGroupPayload(group, addressOf(c), links))
    })
    app.get(`${place}/actions/runner-groups/:group/runners`, (c) => {
      const group = groupAt(c)
      if (group === null) return notFound(c)
      const found = read()
        .runners(scopeOf(c))
        .filter((runner) => (runner.group ?? defaultGroup) === group.number)
      return c.json({ total_count: found.length, runners: page(c, found).map(runnerPayload) })
    })
  }

  app.get('/orgs/:org/actions/runner-groups/:group/repositories', (c) => {
    const group = groupAt(c)
    if (group === null) return notFound(c)
    const served = accounts.repositoriesOf(c.req.param('org')).filter((each) => admits(group, each))
    const shown = page(c, served).map((repository) => minimalRepositoryPayload(repository, links))
    return c.json({ total_count: served.length, repositories: shown })
  })

  app.get('/enterprises/:enterprise/actions/runner-groups/:group/organizations', (c) => {
    const group = groupAt(c)
    if (group === null) return notFound(c)
    const { selected } = group
    const shown = page(c, selected).map((login) => organizationPayload(login, links))
    return c.json({ total_count: selected.length, organizations: shown })
  })

  /** The reader may ask for groups that serve one repository, or one organisation. */
  const isVisible = (c: Context, group: RunnerGroup): boolean => {
    const login = c.req.query('visible_to_organization')
    if (login !== undefined) return group.visibility !== 'selected' || group.selected.includes(login)
    const name = c.req.query('visible_to_repository')
    if (name === undefined) return true
    const repository = accounts.repositoriesOf(c.req.param('org') ?? '').find(({ fullName }) => {
      return fullName.split('/')[1] === name || fullName === name
    })
    return repository !== undefined && admits(group, repository)
  }
  return app
}

function addressOf(c: Context): string {
  const organization = c.req.param('org')
  return organization === undefined ? `/enterprises/${c.req.param('enterprise')}` : `/orgs/${organization}`
}
