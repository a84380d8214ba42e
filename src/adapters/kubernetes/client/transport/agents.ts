import { createSecureContext } from 'node:tls'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import type { TlsMaterial } from '../connection/credentials.ts'

const connectTimeoutMs = 10_000
const connectionsMax = 64
/** A handshake with certificates costs both sides as much as some requests: the next burst finds them open. */
const keepAliveMs = 60_000

export interface Agents {
  /** The connections that are made with this material; other material starts new ones. */
  with(tls: TlsMaterial): Dispatcher
  close(): Promise<void>
}

/** Connections to the API server. A new certificate or authority leaves running watches on the old ones alone. */
export function createAgents(proxyUrl?: string): Agents {
  let current: { readonly tls: TlsMaterial; readonly dispatcher: Dispatcher } | null = null
  const retired = new Set<Dispatcher>()
  return {
    with(tls) {
      if (current !== null && isSame(current.tls, tls)) return current.dispatcher
      const dispatcher = dispatcherOf(tls, proxyUrl) // throws where the material is none
      if (current !== null) retire(current.dispatcher)
      current = { tls, dispatcher }
      return dispatcher
    },
    async close() {
      const all = [...retired, ...(current === null ? [] : [current.dispatcher])]
      current = null
      await Promise.all(all.map((dispatcher) => dispatcher.destroy()))
    },
  }
  function retire(dispatcher: Dispatcher): void {
    retired.add(dispatcher)
    const forget = () => void retired.delete(dispatcher)
    dispatcher.close().then(forget, forget)
  }
}

/** The same connections, with a question asked at the last moment before a request's first byte is written. */
export function guarded(dispatcher: Dispatcher, beforeSend: () => void): Dispatcher {
  return dispatcher.compose((dispatch) => (options, handler) => {
    const asking = new Proxy(handler, {
      get(target, property) {
        const value = Reflect.get(target, property)
        if (typeof value !== 'function') return value
        if (property !== 'onRequestStart') return value.bind(target)
        return (...given: unknown[]) => {
          beforeSend()
          return value.apply(target, given)
        }
      },
    })
    return dispatch(options, asking)
  })
}

function dispatcherOf(tls: TlsMaterial, proxyUrl: string | undefined): Dispatcher {
  // Made once: a connection would otherwise parse the authority and the key again, and keep them to itself.
  const secureContext = createSecureContext({
    ...(tls.ca !== undefined && { ca: tls.ca }),
    ...(tls.cert !== undefined && { cert: tls.cert, key: tls.key }),
  })
  const secure = {
    secureContext,
    ...(tls.serverName !== undefined && { servername: tls.serverName }),
    ...(tls.isUnverified && { rejectUnauthorized: false }),
  }
  const common = {
    connections: connectionsMax,
    keepAliveTimeout: keepAliveMs,
    // A watch is silent for as long as nothing happens: every deadline is kept by who sends the request.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  if (proxyUrl !== undefined) return new ProxyAgent({ ...common, uri: proxyUrl, requestTls: secure })
  return new Agent({ ...common, connect: { ...secure, timeout: connectTimeoutMs } })
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  const keys = ['ca', 'cert', 'key', 'serverName', 'isUnverified'] as const
  return keys.every((key) => a[key] === b[key])
}
