import type { Hono } from 'hono'
import { iso, type RunnerList, runnerQuerySchema, runnerView, unreadableRunnerView } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'
import { parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

export function runnerRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/runners', mayRead(deps), async (context) => {
    const { ended } = parseQuery(context, runnerQuerySchema)
    const [now, { rows, unreadable }] = await Promise.all([deps.ledger.now(), deps.ledger.runners(ended)])
    return context.json({
      at: iso(now),
      runners: rows.map(runnerView),
      unreadable: unreadable.map(unreadableRunnerView),
    } satisfies RunnerList)
  })
}
