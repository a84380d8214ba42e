import {
  aboutAnswerSchema,
  deliveryListSchema,
  forgeStatusSchema,
  hostListSchema,
  incidentListSchema,
} from '../../api/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Check } from '../../domain/examination.ts'
import { isSimulated } from '../../domain/forge/index.ts'
import { isLoopbackHost } from '../../http/index.ts'
import type { Client } from '../client/client.ts'
import type { Context } from '../context.ts'

/** Clocks that differ by more make ages and deadlines look wrong. */
const skewMaxMs = 5_000

/** Checks that need a running instance: its version, its ledger's clock, its forge and its webhooks. */
export async function askInstance(server: Client, context: Context): Promise<readonly Check[]> {
  const asks = { version, clock, forge, webhooks }
  const answers = Object.entries(asks).map(([name, ask]) =>
    ask(server, context).catch((error: unknown) => unknownCheck(name, error)),
  )
  return (await Promise.all(answers)).flat()
}

/** A failed check does not fail the others; an unreachable server fails them all. */
function unknownCheck(name: string, error: unknown): Check {
  if (!(error instanceof HoldfastError) || error.code === 'E_SERVER_UNREACHABLE') throw error
  return { name, result: 'unknown', found: error.message.replace(/\.$/, ''), todo: error.entry.hint }
}

async function version(server: Client, context: Context): Promise<Check> {
  const about = await server.get('/v1/about', aboutAnswerSchema)
  const found = `Holdfast ${about.version} serves at ${server.url}`
  if (about.version === context.version) return { name: 'version', result: 'ok', found, todo: null }
  const todo = `Use the command line of the same version; this one is ${context.version}.`
  return { name: 'version', result: 'warn', found, todo }
}

async function clock(server: Client, context: Context): Promise<Check> {
  const askedAt = context.clock.now()
  const { at } = await server.get('/v1/hosts', hostListSchema)
  const answeredAt = context.clock.now()
  const theirs = Date.parse(at)
  // The server read its clock at some time between the request and the response.
  const skewMs = Math.max(0, askedAt - theirs, theirs - answeredAt)
  const name = 'clock'
  if (skewMs <= skewMaxMs) {
    return { name, result: 'ok', found: "this machine's clock and the ledger's agree", todo: null }
  }
  const found = `this machine's clock and the ledger's differ by ${Math.round(skewMs / 1000)} s`
  return { name, result: 'warn', found, todo: 'Let both follow the same time (NTP).' }
}

async function forge(server: Client): Promise<Check[]> {
  const name = 'forge'
  const [status, { incidents }] = await Promise.all([
    server.get('/v1/forge', forgeStatusSchema),
    server.get('/v1/incidents', incidentListSchema),
  ])
  const wrong = incidents.filter(({ scope, closedAt }) => scope !== 'runners' && closedAt === null)
  if (wrong.length === 0) {
    const pause = status.pausedUntil === null ? '' : `, which asked for silence until ${status.pausedUntil}`
    return [{ name, result: 'ok', found: `${status.kind} at ${status.url}${pause}`, todo: null }]
  }
  return wrong
    .slice(0, 5)
    .map(({ title, key, todo }) => ({ name, result: 'fail', found: `${title} (${key})`, todo }))
}

async function webhooks(server: Client): Promise<Check> {
  const name = 'webhooks'
  const [status, { deliveries }] = await Promise.all([
    server.get('/v1/forge', forgeStatusSchema),
    server.get('/v1/deliveries?state=done,ignored,pending,poison&limit=1', deliveryListSchema),
  ])
  const newest = deliveries[0]
  if (newest !== undefined) {
    return { name, result: 'ok', found: `the newest came at ${newest.receivedAt}`, todo: null }
  }
  if (isSimulated(status.kind)) return { name, result: 'ok', found: 'none was sent yet', todo: null }
  const reached = isLoopbackHost(new URL(server.url).hostname)
    ? 'It listens on this machine alone: set http.host or put a proxy before it (docs/reverse-proxy.md), and http.publicUrl.'
    : 'Look at the deliveries that the forge lists for its webhook.'
  return { name, result: 'warn', found: 'none ever came from the forge', todo: reached }
}
