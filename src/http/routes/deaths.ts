import type { Hono } from 'hono'
import { type DeathList, deathQuerySchema } from '../../api/index.ts'
import { listDeaths } from '../../explain/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'
import { parseQuery } from '../request/parse.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** How runners ended lately, and the common causes of many deaths. */
export function deathRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/deaths', mayRead(deps), async (context) => {
    const query = parseQuery(context, deathQuerySchema)
    return context.json((await listDeaths(query, deps.ledger)) satisfies DeathList)
  })
}
