import type { Hono } from 'hono'
import { iso, type PoolList, poolView } from '../../api/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead } from '../request/access.ts'

type Deps = Pick<HttpDeps, 'ledger' | 'operatorToken' | 'isLoopback' | 'publicUrl'>

/** The pools with their labels and numbers of runners. */
export function poolRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/pools', mayRead(deps), async (context) => {
    const { ledger } = deps
    const [now, pools, counts] = await Promise.all([ledger.now(), ledger.pools(), ledger.counts()])
    const byPool = new Map(counts.map((one) => [one.pool, one]))
    return context.json({
      at: iso(now),
      pools: pools.map((pool) => poolView(pool, byPool.get(pool.name))),
    } satisfies PoolList)
  })
}
