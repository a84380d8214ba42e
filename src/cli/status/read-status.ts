import {
  deliveryListSchema,
  hostListSchema,
  incidentListSchema,
  jobListSchema,
  poolListSchema,
  readinessSchema,
} from '../../api/index.ts'
import type { Client } from '../client/client.ts'

/** One thing that needs attention, and the command that shows more. */
export interface Attention {
  readonly what: string
  readonly command: string
}

/** The state of the fleet at one time. */
export interface FleetStatus {
  readonly at: string
  readonly attention: readonly Attention[]
  readonly jobs: { readonly waiting: number; readonly running: number; readonly oldestSince: string | null }
  readonly runners: { readonly live: number; readonly idle: number }
}

const waitingStates = 'queued,quarantined,waits-for-approval,claimed,delivered,registered'
/** A pool without a live runner needs attention when its jobs wait longer than this. */
const deserted = { waitMs: 5 * 60_000 }
const deliveriesMax = 500

/** Reads the state of the fleet from a server. Throws the errors of the client. */
export async function readStatus(server: Client): Promise<FleetStatus> {
  const [ready, { incidents }, waiting, running, quarantined, unreachable, { pools }, { hosts }, poison] =
    await Promise.all([
      server.get('/readyz', readinessSchema, { anyStatus: true }),
      server.get('/v1/incidents', incidentListSchema),
      server.get(`/v1/jobs?state=${waitingStates}&order=attention&limit=1`, jobListSchema),
      server.get('/v1/jobs?state=running&limit=1', jobListSchema),
      server.get('/v1/jobs?state=quarantined&limit=1', jobListSchema),
      server.get('/v1/jobs?unreachable=true&limit=1', jobListSchema),
      server.get('/v1/pools', poolListSchema),
      server.get('/v1/hosts', hostListSchema),
      server.get(`/v1/deliveries?state=poison&limit=${deliveriesMax}`, deliveryListSchema),
    ])
  const attention = [
    ...ready.parts
      .filter((part) => !part.ready)
      .map(({ name, why }) => ({
        what: `not ready: ${name}${why === undefined ? '' : `, ${why}`}`,
        command: 'doctor',
      })),
    ...incidents
      .filter(({ closedAt }) => closedAt === null)
      .map(({ title, key }) => ({ what: `incident: ${title} (${key})`, command: 'incidents' })),
    ...hosts
      .filter(({ state }) => state === 'lost')
      .map(({ id }) => ({ what: `host ${id} is lost`, command: 'hosts' })),
    ...pools
      .filter(({ live, queued, oldestWaitMs }) => live === 0 && queued > 0 && oldestWaitMs > deserted.waitMs)
      .map(({ name, queued }) => ({
        what: `pool ${name} has no runner for ${jobsText(queued)}`,
        command: `jobs --pool ${name}`,
      })),
    ...counted(unreachable.total, 'out of reach of every runner', 'jobs --unreachable'),
    ...counted(quarantined.total, 'in quarantine', 'jobs --state quarantined'),
    ...(poison.deliveries.length === 0
      ? []
      : [{ what: `webhooks set aside: ${poison.deliveries.length}`, command: 'deliveries' }]),
  ]
  const oldestMs = Math.max(0, ...pools.map(({ oldestWaitMs }) => oldestWaitMs))
  return {
    at: waiting.at,
    attention,
    jobs: {
      waiting: waiting.total,
      running: running.total,
      oldestSince: oldestMs === 0 ? null : new Date(Date.parse(waiting.at) - oldestMs).toISOString(),
    },
    runners: {
      live: pools.reduce((sum, { live }) => sum + live, 0),
      idle: pools.reduce((sum, { idle }) => sum + idle, 0),
    },
  }
}

function counted(count: number, how: string, command: string): Attention[] {
  return count === 0 ? [] : [{ what: `${jobsText(count)} ${how}`, command }]
}

function jobsText(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`
}
