import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { App } from './app.ts'

/** A request that does not arrive whole within this time is given up; the answer may take longer. */
const requestTimeoutMs = 30_000
const headersTimeoutMs = 10_000
/** Each live runner holds one connection; this is several fleets. */
const connectionsMax = 20_000

export interface ServeOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Requests under way may end for this long when it closes. */
  readonly drainMs: number
  readonly clock: Pick<Clock, 'after'>
}

export interface Serving {
  readonly port: number
  /** Where a client on this machine finds it. */
  readonly url: string
  /** Takes no more, ends the long polls, lets the others end, and after the drain time cuts what is left. */
  close(): Promise<void>
}

/** Listens. Throws E_PORT_IN_USE, or E_LISTEN_FAILED. */
export async function serve(app: App, options: ServeOptions): Promise<Serving> {
  const server = createServer(app.listener)
  server.requestTimeout = requestTimeoutMs
  server.headersTimeout = headersTimeoutMs
  server.maxConnections = connectionsMax
  // A connection that becomes idle while it closes would be kept for the next request, which never comes.
  server.on('request', (_, response) =>
    response.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    }),
  )
  const { port } = await listen(server, options)
  return { port, url: urlOf(options.host, port), close: () => close(server, app, options) }
}

/** An address that means "all of them" is reached through the loopback one. */
export function urlOf(host: string, port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

function listen(server: Server, { host, port }: ServeOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      const isTaken = error.code === 'EADDRINUSE'
      const params = { host, port, reason: error.code ?? error.message }
      reject(new HoldfastError(isTaken ? 'E_PORT_IN_USE' : 'E_LISTEN_FAILED', params, error))
    }
    server.once('error', onError)
    server.listen(port, host, () => {
      server.off('error', onError)
      resolve(server.address() as AddressInfo)
    })
  })
}

async function close(server: Server, app: App, { drainMs, clock }: ServeOptions): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  app.endWaiting()
  server.closeIdleConnections()
  const cancel = clock.after(drainMs, () => server.closeAllConnections())
  await closed
  cancel()
}
