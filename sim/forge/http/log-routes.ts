import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import type { Clock } from '../../../src/ports/clock.ts'
import { notFound, refuse } from './answers.ts'
import type { JobLogs } from './job-logs.ts'
import { isSameSecret } from './secret.ts'

/** GitHub's addresses of logs are good for a minute. */
const addressLifeMs = 60_000

/** The signed address at which a log can be read for a short time without credentials. */
export function logAddress(url: string, jobId: number, secret: string, clock: Clock): string {
  const until = clock.now() + addressLifeMs
  return `${url}/_logs/${jobId}?until=${until}&signature=${signed(jobId, until, secret)}`
}

/** The store of logs, which asks for no token. */
export function logRoutes(logs: JobLogs, secret: string, clock: Clock): Hono {
  const app = new Hono()
  app.get('/:id{[0-9]{1,15}}', (c) => {
    const id = Number(c.req.param('id'))
    const until = Number(c.req.query('until'))
    const isGenuine = isSameSecret(c.req.query('signature') ?? '', signed(id, until, secret))
    if (!isGenuine) return notFound(c)
    return clock.now() <= until ? c.text(logs.read(id)) : refuse(c, 403, 'The address has expired.')
  })
  return app
}

function signed(jobId: number, until: number, secret: string): string {
  return createHmac('sha256', secret).update(`log ${jobId} ${until}`).digest('hex')
}
