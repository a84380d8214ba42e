import type { Hono } from 'hono'
import { type RunnerList, runnerQuerySchema } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'
import { listRunners } from '../request/list-runners.ts'
import { parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

export function runnerRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/runners', mayRead(deps), async (context) =>
    context.json(
      (await listRunners(parseQuery(context, runnerQuerySchema), deps.ledger)) satisfies RunnerList,
    ),
  )
}
