import { Hono } from 'hono'
import { z } from 'zod'
import { deploymentPayload, pendingPayload, type Reads } from '../core/index.ts'
import { notFound, readOrder, refuse } from './answers.ts'
import type { Engine } from './engine.ts'
import { runAt } from './run-parameters.ts'

const environmentsMax = 100
const commentLengthMax = 10_000

const reviewSchema = z.object({
  environment_ids: z.array(z.int()).max(environmentsMax),
  state: z.enum(['approved', 'rejected']),
  comment: z.string().max(commentLengthMax),
})

/** Routes for a run's pending deployments and their approval. */
export function deploymentRoutes(engine: Engine, read: () => Reads): Hono {
  const app = new Hono()
  const pending = '/repos/:owner/:repo/actions/runs/:id/pending_deployments'
  const { links } = engine.core

  app.get(pending, (c) => {
    const run = runAt(read(), c)
    if (run === null) return notFound(c)
    return c.json(engine.core.pending(run.id).map((each) => pendingPayload(each, links)))
  })

  app.post(pending, async (c) => {
    const run = runAt(
      engine.run((core) => core),
      c,
    )
    if (run === null) return notFound(c)
    const order = await readOrder(c, reviewSchema)
    if (order instanceof Response) return order
    const { environment_ids: environments, state } = order
    const isPending = (id: number) => engine.core.pending(run.id).some((each) => each.id === id)
    if (environments.length === 0 || !environments.every(isPending)) {
      return refuse(c, 422, 'There are no pending deployment requests to approve or reject.')
    }
    const jobs = engine.run((core, now) => core.review(run.id, environments, state === 'approved', now))
    return c.json(jobs.map((job) => deploymentPayload(job, links)))
  })
  return app
}
