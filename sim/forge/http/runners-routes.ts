import { type Context, Hono } from 'hono'
import { z } from 'zod'
import { type MintOrder, type Reads, runnerPayload } from '../core/index.ts'
import { encodeJit } from '../jit.ts'
import { idParam, notFound, readOrder, refuse } from './answers.ts'
import type { Engine } from './engine.ts'
import { page } from './pages.ts'
import { runnerPlaces, scopeOf } from './scopes.ts'

const nameLengthMax = 64
const labelsMax = 100

const mintSchema = z.object({
  name: z.string().min(1).max(nameLengthMax),
  runner_group_id: z.int(),
  labels: z.array(z.string().min(1).max(256)).min(1).max(labelsMax),
  work_folder: z.string().default('_work'),
})

export interface RunnersParts {
  readonly engine: Engine
  readonly read: () => Reads
  /** Where runners find the forge. */
  readonly url: string
}

/** Runners of a repository, an organisation or an enterprise: the same paths below each. */
export function runnersRoutes(parts: RunnersParts): Hono {
  const app = new Hono()
  for (const place of runnerPlaces) addRunners(app, `${place}/actions/runners`, parts)
  return app
}

function addRunners(app: Hono, runners: string, { engine, read, url }: RunnersParts): void {
  app.post(`${runners}/generate-jitconfig`, async (c) => {
    const order = await readOrder(c, mintSchema)
    if (order instanceof Response) return order
    const { name, labels, runner_group_id: group } = order
    return minted(c, engine, { repository: scopeOf(c), name, labels, group }, url)
  })

  app.get(runners, (c) => {
    if (!engine.core.hasScope(scopeOf(c))) return notFound(c)
    const name = c.req.query('name')
    const found = read()
      .runners(scopeOf(c))
      .filter((runner) => name === undefined || runner.name === name)
    return c.json({ total_count: found.length, runners: page(c, found).map(runnerPayload) })
  })

  app.get(`${runners}/:id`, (c) => {
    const id = idParam(c, 'id')
    const runner = read()
      .runners(scopeOf(c))
      .find((each) => each.id === id)
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

function minted(c: Context, engine: Engine, order: MintOrder, url: string): Response {
  const { name, group } = order
  const outcome = engine.run((core, now) => core.mint(order, now))
  if (outcome.kind === 'no-repository' || outcome.kind === 'no-group') return notFound(c)
  if (outcome.kind === 'name-taken') {
    return refuse(c, 409, `Already exists - A runner with the name "${name}" already exists.`)
  }
  if (outcome.kind === 'group-full') {
    const why = `Runner group ${group} has reached max limit of ${outcome.runnersMax} runners.`
    return refuse(c, 422, `Invalid Argument - ${why}`)
  }
  const { renewEveryMs, pollHoldMs } = engine.core.delays
  const encoded = encodeJit({ url, jit: outcome.jit, name, renewEveryMs, pollHoldMs })
  return c.json({ runner: runnerPayload(outcome.runner), encoded_jit_config: encoded }, 201)
}
