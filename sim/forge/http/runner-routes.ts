import type { HttpBindings } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { Change, PollResult } from '../core/index.ts'
import { idParam, readBody, refuse } from './answers.ts'
import { closedSignal } from './connection.ts'
import type { Engine } from './engine.ts'
import type { JobLogs } from './job-logs.ts'
import { bearerOf } from './secret.ts'

const connectSchema = z.strictObject({
  jit: z.string().min(1).max(256),
  owner: z.string().min(1).max(256),
})
const completeSchema = z.strictObject({ conclusion: z.enum(['success', 'failure', 'cancelled']) })

/** The routes of the forge's own runner program: its session, its one job, and the job's lock, log and end. */
export function runnerRoutes(engine: Engine, logs: JobLogs, closing: AbortSignal) {
  const app = new Hono<{ Bindings: HttpBindings }>()

  app.post('/sessions', async (c) => {
    const request = await readBody(c, connectSchema)
    if (request instanceof Response) return request
    const connected = engine.run((core, now) => core.connect(request.jit, request.owner, now))
    if (connected.kind === 'conflict') return refuse(c, 409, 'A session for this runner already exists.')
    if (connected.kind === 'expired') return refuse(c, 401, 'The runner configuration has expired.')
    if (connected.kind === 'unknown') {
      return refuse(c, 401, 'The runner registration has been deleted from the server.')
    }
    const { session, runner } = connected
    return c.json({ session, runner: { id: runner.id, name: runner.name } })
  })

  app.get('/job', async (c) => {
    const session = sessionOf(c)
    const polled = await holdPoll(engine, session, AbortSignal.any([closedSignal(c), closing]))
    if (polled.kind === 'gone') return gone(c)
    if (polled.kind === 'nothing') return c.body(null, 204)
    const { id, name, runId, runAttempt, repository, script } = polled.job
    return c.json({ id, name, runId, runAttempt, repository, script })
  })

  app.post('/jobs/:id/renew', (c) => {
    const outcome = engine.run((core, now) => core.renew(sessionOf(c), jobIdOf(c), now))
    if (outcome === 'renewed') return c.json({ outcome })
    return outcome === 'cancelled' ? refuse(c, 410, 'The job was cancelled.') : lost(c)
  })

  app.post('/jobs/:id/log', async (c) => {
    const session = sessionOf(c)
    const job = engine.core.job(jobIdOf(c))
    if (job === null || !job.starts.some((start) => start.session === session)) return lost(c)
    logs.append(job.id, await c.req.text())
    return c.body(null, 204)
  })

  app.post('/jobs/:id/complete', async (c) => {
    const report = await readBody(c, completeSchema)
    if (report instanceof Response) return report
    const outcome = engine.run((core, now) => core.complete(sessionOf(c), jobIdOf(c), report.conclusion, now))
    return outcome === 'completed' ? c.json({ outcome }) : lost(c)
  })

  return app
}

/** Holds the question open until there is a job, the time is over, or nobody listens any more. */
async function holdPoll(engine: Engine, session: string, signal: AbortSignal): Promise<PollResult> {
  const { clock, core } = engine
  const until = clock.now() + core.delays.pollHoldMs
  // An open question is a sign of life: it is renewed before the runner would count as offline.
  const renewMs = Math.max(core.delays.offlineAfterMs / 2, 1)
  while (!signal.aborted) {
    const polled = engine.run((forge, now) => forge.poll(session, now))
    const restMs = until - clock.now()
    if (polled.kind !== 'nothing' || restMs <= 0) return polled
    await engine.news((change) => isNews(engine, session, change), Math.min(restMs, renewMs), signal)
  }
  engine.stir()
  return { kind: 'nothing' }
}

function isNews({ core }: Engine, session: string, { table, row }: Change): boolean {
  if (table === 'jobs') return row !== null && core.mayTake(session, row)
  return table !== 'runners' || row?.session === session
}

function sessionOf(c: Context): string {
  return bearerOf(c.req.header('authorization')) ?? ''
}

function jobIdOf(c: Context): number {
  return idParam(c, 'id') ?? 0
}

function gone(c: Context): Response {
  return refuse(c, 401, 'The runner registration has been deleted from the server.')
}

function lost(c: Context): Response {
  return refuse(c, 409, 'The job is not assigned to this runner any more.')
}
