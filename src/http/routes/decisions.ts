import type { Hono } from 'hono'
import { type DecisionList, decisionList, decisionQuerySchema } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'
import { parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** Recent decisions of recovery: rule, facts and outcome of each. */
export function decisionRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/decisions', mayRead(deps), async (context) => {
    const query = parseQuery(context, decisionQuerySchema)
    const { since: withinMs, job, runner, rule, pool, limit } = query
    const listed = await deps.ledger.decisions({
      withinMs,
      ...(job !== undefined && { jobId: job }),
      ...(runner !== undefined && { runner }),
      ...(rule !== undefined && { rule }),
      ...(pool !== undefined && { pool }),
      limit: limit + 1,
    })
    return context.json(decisionList(listed, query, await deps.ledger.now()) satisfies DecisionList)
  })
}
