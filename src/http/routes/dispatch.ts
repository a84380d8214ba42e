import { timingSafeEqual } from 'node:crypto'
import type { Hono } from 'hono'
import { type AckAnswer, ackRequestSchema, type DispatchAnswer, pollRequestSchema } from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { HttpDeps } from '../deps.ts'
import { bearerIn } from '../request/access.ts'
import { parseBody, parseJson } from '../request/parse.ts'
import { readBody } from '../request/read-body.ts'

/** A runner's name and an attempt's handle; nothing that a runner sends is longer. */
export const bodyBytesMax = 4 * 1024

type Deps = Pick<HttpDeps, 'dispatch' | 'ledger' | 'identity' | 'publicUrl'>

/** A runner's poll for a job, as it arrived. */
export interface Question {
  readonly body: Uint8Array
  readonly authorization: string | undefined
  /** The origin of the request, for links to pages of the same server. */
  readonly root: () => string
  /** Aborted when no client waits for the answer any more. */
  readonly ending: AbortController
}

/** Null: nothing for now. Throws for an invalid poll; rejects with E_RUNNER_LEAVE. */
export type Ask = (question: Question) => Promise<DispatchAnswer | null>

/** Handles the poll of a runner: authenticate it, wait, return one job. */
export function createAsking(deps: Deps, closing: AbortSignal): Ask {
  const authenticate = authenticator(deps)
  const waiting = new Map<number, AbortController>()
  closing.addEventListener('abort', () => {
    for (const controller of waiting.values()) controller.abort()
  })

  // The request is not captured: body and token need not stay in memory while their runner waits.
  return ({ body, authorization, root, ending }) => {
    const { runner: name } = parseJson(body, pollRequestSchema)
    return authenticate(authorization, name, ending.signal).then((runner) => wait(runner, root, ending))
  }

  async function wait(
    runner: Runner,
    root: Question['root'],
    ending: AbortController,
  ): Promise<DispatchAnswer | null> {
    // One runner has one poll: a runner that polls again has lost the connection of its first poll.
    waiting.get(runner.id)?.abort()
    waiting.set(runner.id, ending)
    if (closing.aborted) ending.abort()
    try {
      const answer = await deps.dispatch.poll(runner, ending.signal)
      if (answer.kind === 'nothing') return null
      if (answer.kind === 'leave') throw new HoldfastError('E_RUNNER_LEAVE', { runner: runner.name })
      const { handle, jit, jobId } = answer
      return { attempt: handle, jit, job: { id: jobId, url: pageOf(jobId, deps.publicUrl ?? root()) } }
    } finally {
      if (waiting.get(runner.id) === ending) waiting.delete(runner.id)
    }
  }
}

/** The dispatch protocol: a runner polls, waits, gets one job, and acknowledges it. */
export function dispatchRoutes(app: Hono, deps: Deps, ask: Ask): void {
  const authenticate = authenticator(deps)

  app.post('/v1/dispatch', async (context) => {
    const ending = new AbortController()
    const end = (): void => ending.abort()
    const { signal: cut } = context.req.raw
    cut.addEventListener('abort', end)
    if (cut.aborted) end()
    try {
      const answer = await ask({
        body: await readBody(context, bodyBytesMax),
        authorization: context.req.header('authorization'),
        root: () => new URL('/', context.req.url).href,
        ending,
      })
      return answer === null ? context.body(null, 204) : context.json(answer)
    } finally {
      cut.removeEventListener('abort', end)
    }
  })

  app.post('/v1/dispatch/ack', async (context) => {
    const request = await parseBody(context, ackRequestSchema, bodyBytesMax)
    const authorization = context.req.header('authorization')
    const runner = await authenticate(authorization, request.runner, context.req.raw.signal)
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

type Authenticate = (authorization: string | undefined, name: string, signal: AbortSignal) => Promise<Runner>

/**
 * Authenticates a runner by its proof; the first proof of a runner without one is bound to it from then on. An unknown
 * name takes as long as a wrong proof, and gets the same answer.
 */
function authenticator({ ledger, identity, dispatch }: Deps): Authenticate {
  return async (authorization, name, signal) => {
    const proof = bearerIn(authorization)
    if (proof === undefined) throw new HoldfastError('E_RUNNER_REFUSED')
    const [runner, hash] = await Promise.all([
      dispatch.expected(name) ?? ledger.findRunner(name),
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
    return runner.identityHash === null ? { ...runner, identityHash: hash } : runner
  }
}

/** Compares in constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}
