import { type Context, Hono } from 'hono'
import { z } from 'zod'
import {
  fullRepositoryPayload,
  organizationScope,
  repositoryPayload,
  runnerGroupPayload,
  runnerPayload,
} from '../core/index.ts'
import { encodeJit } from '../jit.ts'
import { idParam, notFound, readOrder, refuse } from './answers.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import type { RateLimit } from './rate-limit.ts'

const NAME_LENGTH_MAX = 64
const LABELS_MAX = 100
const RUNNER_GROUP = 1

const mintSchema = z.object({
  name: z.string().min(1).max(NAME_LENGTH_MAX),
  runner_group_id: z.int(),
  labels: z.array(z.string().min(1).max(256)).min(1).max(LABELS_MAX),
  work_folder: z.string().default('_work'),
})

export interface GitHubParts {
  readonly engine: Engine
  readonly rateLimit: RateLimit
  readonly url: string
}

/** GitHub's paths about the account, its repositories and their runners. */
export function githubRoutes({ engine, rateLimit, url }: GitHubParts): Hono {
  const app = new Hono()
  const { links } = engine.core

  app.get('/rate_limit', (c) => {
    const core = rateLimit.budget()
    return c.json({ resources: { core, search: core }, rate: core })
  })

  app.get('/installation/repositories', (c) => {
    const repositories = engine.run((core) => core.repositories())
    const shown = page(c, repositories).map((repository) => repositoryPayload(repository, links))
    return c.json({ total_count: repositories.length, repository_selection: 'all', repositories: shown })
  })

  app.get('/repos/:owner/:repo', (c) => {
    const repository = engine.run((core) => core.repository(scopeOf(c)))
    return repository === null ? notFound(c) : c.json(fullRepositoryPayload(repository, links))
  })

  app.get('/orgs/:org/actions/runner-groups', (c) => {
    if (!engine.core.hasScope(scopeOf(c))) return notFound(c)
    const groups = page(c, [runnerGroupPayload(c.req.param('org'), links)])
    return c.json({ total_count: 1, runner_groups: groups })
  })

  addRunners(app, '/repos/:owner/:repo/actions/runners', engine, url)
  addRunners(app, '/orgs/:org/actions/runners', engine, url)
  return app
}

/** Runners of a repository or of an organisation: the same paths below both. */
function addRunners(app: Hono, runners: string, engine: Engine, url: string): void {
  app.post(`${runners}/generate-jitconfig`, async (c) => {
    const order = await readOrder(c, mintSchema)
    if (order instanceof Response) return order
    if (order.runner_group_id !== RUNNER_GROUP) return notFound(c)
    const { name, labels } = order
    const minted = engine.run((core, now) => core.mint({ repository: scopeOf(c), name, labels }, now))
    if (minted.kind === 'no-repository') return notFound(c)
    if (minted.kind === 'name-taken') {
      return refuse(c, 409, `Already exists - A runner with the name "${name}" already exists.`)
    }
    const { renewEveryMs, pollHoldMs } = engine.core.delays
    const encoded = encodeJit({ url, jit: minted.jit, name, renewEveryMs, pollHoldMs })
    return c.json({ runner: runnerPayload(minted.runner), encoded_jit_config: encoded }, 201)
  })

  app.get(runners, (c) => {
    if (!engine.core.hasScope(scopeOf(c))) return notFound(c)
    const name = c.req.query('name')
    const found = engine
      .run((core) => core.runners(scopeOf(c)))
      .filter((runner) => name === undefined || runner.name === name)
    return c.json({ total_count: found.length, runners: page(c, found).map(runnerPayload) })
  })

  app.get(`${runners}/:id`, (c) => {
    const id = idParam(c, 'id')
    const runner = engine.run((core) => core.runners(scopeOf(c)).find((each) => each.id === id))
    return runner === undefined ? notFound(c) : c.json(runnerPayload(runner))
  })

  app.delete(`${runners}/:id`, (c) => {
    const id = idParam(c, 'id')
    if (id === null) return notFound(c)
    const outcome = engine.run((core, now) => core.removeRunner(scopeOf(c), id, now))
    if (outcome === 'absent') return notFound(c)
    if (outcome === 'busy') {
      return refuse(c, 422, `Bad request - Runner "${id}" is currently running a job and cannot be deleted.`)
    }
    return c.body(null, 204)
  })
}

function scopeOf(c: Context): string {
  const organization = c.req.param('org')
  if (organization !== undefined) return organizationScope(organization)
  return `${c.req.param('owner')}/${c.req.param('repo')}`
}
