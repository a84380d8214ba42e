import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import type { Log } from '../../../src/ports/log.ts'
import { createForgeCore, type ForgeCoreOptions, type ForgeDelays } from '../core/index.ts'
import { createApp } from './app.ts'
import { type AppIdentity, createCredentials } from './credentials.ts'
import { createDeliveries } from './deliver.ts'
import { createEngine, type Engine } from './engine.ts'
import { createFaults } from './faults.ts'
import { openJobLogs } from './job-logs.ts'
import { openJournal } from './journal.ts'
import { createRateLimit } from './rate-limit.ts'
import { createSecondaryLimit } from './secondary-limit.ts'

export interface SimulatedForgeOptions {
  /** Where it keeps its memory; a second start goes on from there. */
  readonly folder: string
  readonly host?: string
  /** 0 takes a free one; runners come back only to the port that they know. */
  readonly port: number
  /** Where runners find it, if not where it listens: from another machine or out of a pod. */
  readonly runnersUrl?: string | undefined
  /** The credentials that callers of the API need. */
  readonly token: string
  /** The GitHub App that may call too, and make tokens for its installation. */
  readonly app?: AppIdentity
  readonly webhookUrl: string | null
  readonly webhookSecret: string
  readonly delays?: Partial<ForgeDelays>
  readonly choose?: ForgeCoreOptions['choose']
  /** Whether a job whose runner fell silent goes back into the queue instead of failing. */
  readonly takesBack?: boolean
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
}

export interface SimulatedForge {
  readonly url: string
  readonly port: number
  /** GitHub's paths that it serves, each as `METHOD /path/:name`. */
  readonly routes: readonly string[]
  /** Where webhooks go from now on. */
  sendWebhooksTo(url: string | null): void
  /** Ends it; all that it knows is kept. */
  close(): Promise<void>
}

/** A forge of one's own over HTTP: GitHub's paths for callers, `/_runner` for runners, `/_sim` for people and tests. */
export async function startSimulatedForge(options: SimulatedForgeOptions): Promise<SimulatedForge> {
  const { folder, host = '127.0.0.1', token, clock, entropy, log } = options
  const server = createServer()
  await listening(server, options.port, host)
  const { port } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  try {
    const closing = new AbortController()
    const faults = createFaults(clock, closing.signal)
    const { engine, close: closeJournal } = openEngine(options, url, faults.aheadMs)
    const logs = openJobLogs(path.join(folder, 'logs'))
    const { webhookUrl, webhookSecret: secret } = options
    const deliveries = createDeliveries({ engine, url: webhookUrl, secret, faults, log })
    engine.onChange((changes) => {
      for (const change of changes) {
        if (change.table === 'jobs' && change.row === null) logs.remove(change.id)
      }
      deliveries.pump()
    })
    // Before the first step: it would find every runner silent for as long as the forge was away.
    engine.core.resume(clock.now())
    engine.run(() => deliveries.pump())
    const shownNow = () => clock.now() + faults.aheadMs()
    const isInstallation = (id: number) => engine.core.accounts.installation(id) !== null
    const app = createApp({
      engine,
      logs,
      deliveries,
      faults,
      url,
      token,
      entropy,
      log,
      closing: closing.signal,
      runnersUrl: options.runnersUrl ?? url,
      app: options.app ?? null,
      shownNow,
      credentials: createCredentials(token, options.app ?? null, { now: shownNow }, isInstallation),
      rateLimit: createRateLimit(clock, faults.aheadMs),
      secondaryLimit: createSecondaryLimit(clock),
    })
    server.on('request', getRequestListener(app.fetch) as RequestListener)
    return {
      url,
      port,
      routes: routesOf(app),
      sendWebhooksTo: (target) => deliveries.sendTo(target),
      async close() {
        closing.abort()
        await stopped(server)
        await deliveries.close()
        engine.close()
        closeJournal()
      },
    }
  } catch (error) {
    await stopped(server)
    throw error
  }
}

function routesOf(app: ReturnType<typeof createApp>): readonly string[] {
  const served = app.routes.filter(
    ({ method, path: at }) => method !== 'ALL' && !/^\/_(sim|runner|logs)\b/.test(at),
  )
  return [...new Set(served.map(({ method, path: at }) => `${method} ${at}`))]
}

function openEngine(
  options: SimulatedForgeOptions,
  url: string,
  aheadMs: () => number,
): { engine: Engine; close: () => void } {
  const { folder, clock, entropy, log, delays, choose, takesBack } = options
  const journal = openJournal(folder)
  const core = createForgeCore({
    entropy,
    links: { api: url, web: url, aheadMs },
    ...(delays && { delays }),
    ...(choose && { choose }),
    ...(takesBack !== undefined && { takesBack }),
    ...(options.app && { appId: options.app.id }),
    ...(journal.kept.snapshot && { snapshot: journal.kept.snapshot }),
  })
  for (const { changes, counters } of journal.kept.entries) core.replay(changes, counters)
  if (journal.kept.entries.length > 0) journal.fold(core.snapshot())
  return { engine: createEngine(core, journal, clock, log), close: () => journal.close() }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.removeListener('error', reject)
      resolve()
    })
  })
}

function stopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
