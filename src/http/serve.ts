import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { App } from './app.ts'

/** A request that has not arrived whole within this time is given up; the response may take longer. */
const requestTimeoutMs = 30_000
const headersTimeoutMs = 10_000
/** Each live runner holds one connection; this is several fleets. */
const connectionsMax = 20_000

export interface ServeOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** How long requests in flight may take to end at shutdown. */
  readonly drainMs: number
  readonly clock: Pick<Clock, 'after'>
}

export interface Serving {
  readonly port: number
  /** The URL for a client on this machine. */
  readonly url: string
  /** Accepts no more requests, ends the long polls, drains the others, and after the drain time closes what is left. */
  close(): Promise<void>
}

/** Starts the server. Throws E_PORT_IN_USE, or E_LISTEN_FAILED. */
export async function serve(app: App, options: ServeOptions): Promise<Serving> {
  const server = createServer(app.listener)
  server.requestTimeout = requestTimeoutMs
  server.headersTimeout = headersTimeoutMs
  server.maxConnections = connectionsMax
  // A connection that becomes idle during shutdown would be kept alive for a next request.
  server.on('request', (_, response) =>
    response.once('close', () => {
      if (!server.listening) setImmediate(() => server.closeIdleConnections())
    }),
  )
  const { port } = await listen(server, options)
  return { port, url: urlOf(options.host, port), close: () => close(server, app, options) }
}

/** The unspecified address is reached through the loopback one. */
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
