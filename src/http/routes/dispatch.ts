import { timingSafeEqual } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { type AckAnswer, ackRequestSchema, type DispatchAnswer, pollRequestSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { HttpDeps } from '../deps.ts'
import { bearerToken } from '../request/access.ts'
import { parseBody } from '../request/parse.ts'

/** A runner's name and an attempt's handle; nothing that a runner sends is longer. */
const bodyBytesMax = 4 * 1024

type Deps = Pick<HttpDeps, 'dispatch' | 'ledger' | 'identity' | 'publicUrl'>

/** The dispatch protocol: a runner asks, waits, gets one job, and says that it has it. */
export function dispatchRoutes(app: Hono, deps: Deps, closing: AbortSignal): void {
  const authenticate = authenticator(deps)
  const waiting = new Map<number, AbortController>()
  closing.addEventListener('abort', () => {
    for (const controller of waiting.values()) controller.abort()
  })

  app.post('/v1/dispatch', async (context) => {
    const { runner: name } = await parseBody(context, pollRequestSchema, bodyBytesMax)
    const runner = await authenticate(context, name)
    // One runner waits once: who asks again has lost the connection on which the first question waits.
    // One signal for all that ends a wait: of those that are made of others, each costs some KB for as long as it waits.
    const ending = new AbortController()
    waiting.get(runner.id)?.abort()
    waiting.set(runner.id, ending)
    const end = (): void => ending.abort()
    const { signal: cut } = context.req.raw
    cut.addEventListener('abort', end)
    if (cut.aborted || closing.aborted) end()
    try {
      const answer = await deps.dispatch.poll(runner, ending.signal)
      if (answer.kind === 'nothing') return context.body(null, 204)
      if (answer.kind === 'leave') throw new HoldfastError('E_RUNNER_LEAVE', { runner: runner.name })
      const url = pageOf(answer.jobId, deps.publicUrl ?? new URL('/', context.req.url).href)
      return context.json({
        attempt: answer.handle,
        jit: answer.jit,
        job: { id: answer.jobId, url },
      } satisfies DispatchAnswer)
    } finally {
      cut.removeEventListener('abort', end)
      if (waiting.get(runner.id) === ending) waiting.delete(runner.id)
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

function pageOf(jobId: number, root: string): string {
  return new URL(`jobs/${jobId}`, root.endsWith('/') ? root : `${root}/`).href
}

/**
 * Who asks is whose proof it is; the first proof of a runner that was not known by one yet is its own from then on. An
 * unknown name takes as long as a wrong proof, and is told the same.
 */
function authenticator({ ledger, identity }: Deps): (context: Context, name: string) => Promise<Runner> {
  return async (context, name) => {
    const proof = bearerToken(context)
    if (proof === undefined) throw new HoldfastError('E_RUNNER_REFUSED')
    const { signal } = context.req.raw
    const [runner, hash] = await Promise.all([
      ledger.findRunner(name),
      identity.of(name, proof, signal).catch((error: unknown) => {
        throw signal.aborted ? new HoldfastError('E_REQUEST_CUT', {}, error) : error
      }),
    ])
    if (runner === null || hash === null) throw new HoldfastError('E_RUNNER_REFUSED')
    const isGenuine =
      runner.identityHash === null
        ? identity.provesName && (await ledger.bindIdentity(runner.id, hash)) === 'bound'
        : isSame(hash, runner.identityHash)
    if (!isGenuine) throw new HoldfastError('E_RUNNER_REFUSED')
    return runner
  }
}

/** In constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
