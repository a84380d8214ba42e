import type { Context, Hono } from 'hono'
import { type AckAnswer, ackRequestSchema, type DispatchAnswer, pollRequestSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { HttpDeps } from '../deps.ts'
import { bearerToken } from '../request/access.ts'
import { parseBody } from '../request/parse.ts'

/** A runner's name and an attempt's handle; nothing that a runner sends is longer. */
const bodyBytesMax = 4 * 1024

type Deps = Pick<HttpDeps, 'dispatch' | 'ledger' | 'secrets'>

/** The dispatch protocol: a runner asks, waits, gets one job, and says that it has it. */
export function dispatchRoutes(app: Hono, deps: Deps, closing: AbortSignal): void {
  const authenticate = authenticator(deps)
  const waiting = new Map<number, AbortController>()

  app.post('/v1/dispatch', async (context) => {
    const { runner: name } = await parseBody(context, pollRequestSchema, bodyBytesMax)
    const runner = await authenticate(context, name)
    // One runner waits once: who asks again has lost the connection on which the first question waits.
    const superseded = new AbortController()
    waiting.get(runner.id)?.abort()
    waiting.set(runner.id, superseded)
    const signal = AbortSignal.any([context.req.raw.signal, closing, superseded.signal])
    try {
      const answer = await deps.dispatch.poll(runner, signal)
      if (answer.kind === 'nothing') return context.body(null, 204)
      if (answer.kind === 'leave') throw new HoldfastError('E_RUNNER_LEAVE', { runner: runner.name })
      const url = new URL(`/jobs/${answer.jobId}`, context.req.url).href
      return context.json({
        attempt: answer.handle,
        jit: answer.jit,
        job: { id: answer.jobId, url },
      } satisfies DispatchAnswer)
    } finally {
      if (waiting.get(runner.id) === superseded) waiting.delete(runner.id)
    }
  })

  app.post('/v1/dispatch/ack', async (context) => {
    const request = await parseBody(context, ackRequestSchema, bodyBytesMax)
    const runner = await authenticate(context, request.runner)
    const open = await deps.ledger.openAttempt(runner.id)
    const isHeld = open?.attempt.handle === request.attempt
    if (!isHeld || (await deps.dispatch.ack(request.attempt)).kind === 'lost') {
      throw new HoldfastError('E_ATTEMPT_LOST', { runner: runner.name })
    }
    return context.json({ acknowledged: true } satisfies AckAnswer)
  })
}

/** Who asks is whose secret it is. An unknown name takes as long as a wrong secret, and is told the same. */
function authenticator({ ledger, secrets }: Deps): (context: Context, name: string) => Promise<Runner> {
  const nobody = secrets.create().hash
  return async (context, name) => {
    const secret = bearerToken(context)
    if (secret === undefined) throw new HoldfastError('E_RUNNER_REFUSED')
    const runner = await ledger.findRunner(name)
    const isGenuine = secrets.matches(secret, runner?.identityHash ?? nobody)
    if (runner === null || !isGenuine) throw new HoldfastError('E_RUNNER_REFUSED')
    return runner
  }
}
