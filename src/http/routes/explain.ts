import type { Hono } from 'hono'
import { explainSubjectSchema } from '../../api/index.ts'
import { explainSubject } from '../../explain/index.ts'
import type { HttpDeps } from '../deps.ts'
import { mayRead, maySeePrivate } from '../request/access.ts'
import { parsePart } from '../request/parse.ts'
import { withholdLogs } from '../request/withhold-logs.ts'

type Deps = Pick<
  HttpDeps,
  'ledger' | 'forge' | 'clock' | 'about' | 'operatorToken' | 'isLoopback' | 'publicUrl'
>

/** Explains how a runner ended, found by its job, its name or its pod. */
export function explainRoutes(app: Hono, deps: Deps): void {
  app.get('/v1/explain/:subject', mayRead(deps), async (context) => {
    const asked = parsePart(context.req.param('subject'), explainSubjectSchema)
    const { installation, forge } = deps.about
    const served = { installation, kind: forge.kind }
    const answer = await explainSubject(asked, { ...deps, served }, context.req.raw.signal)
    return context.json(maySeePrivate(context, deps) ? answer : withholdLogs(answer))
  })
}
