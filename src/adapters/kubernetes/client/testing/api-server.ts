import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { type FakeObject, type HistoryEvent, Refusal, Truth } from './truth.ts'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** Handles a request in place of the server; `true`: it did not, and the server answers. */
export type Fault = (request: SeenRequest, response: ServerResponse) => boolean | undefined

interface Watch {
  readonly collection: string
  readonly response: ServerResponse
}

/** For tests: a server that speaks the list, watch and write dialect of the API, and fails as the test scripts it. */
export class ApiServer implements AsyncDisposable {
  readonly truth = new Truth()
  readonly requests: SeenRequest[] = []
  readonly watches = new Set<Watch>()
  /** Asked in turn for each request; the first that does not answer true has dealt with it. */
  readonly faults: Fault[] = []
  /** Returns the events that are sent in place of an event; none: it is held back. */
  deliver: (event: HistoryEvent) => readonly HistoryEvent[] = (event) => [event]
  readonly #snapshots = new Map<string, { readonly version: number; readonly objects: FakeObject[] }>()
  readonly #sockets = new Set<Socket>()
  readonly #server

  constructor(tls?: { readonly cert: string; readonly key: string; readonly ca: string }) {
    const listener: RequestListener = (request, response) => void this.#handle(request, response)
    const options = { requestCert: true, rejectUnauthorized: false, ...tls }
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(options, listener)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.truth.onEvent((collection, event) => {
      const lines = this.deliver(event).map(({ type, object }) => eventLine(type, object))
      this.send(collection, lines.join(''))
    })
  }

  async listen(port = 0): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
    return (this.#server.address() as AddressInfo).port
  }

  /** Writes to every watch of a collection. */
  send(collection: string, text: string): void {
    for (const watch of this.watches) if (watch.collection === collection) watch.response.write(text)
  }

  bookmark(collection: string): void {
    const metadata = { resourceVersion: String(this.truth.version), creationTimestamp: null }
    this.send(collection, `${JSON.stringify({ type: 'BOOKMARK', object: { kind: 'Pod', metadata } })}\n`)
  }

  /** Ends every watch: in order, or in the middle of a connection. */
  cut(how: 'end' | 'destroy' = 'destroy'): void {
    for (const { response } of this.watches) how === 'end' ? response.end() : response.destroy()
    this.watches.clear()
  }

  failNext(times: number, fault: Fault): void {
    let left = times
    this.faults.push((request, response) => {
      if (left <= 0) return true
      left -= 1
      return fault(request, response)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://api')
    let text = ''
    for await (const chunk of request) text += chunk
    const seen: SeenRequest = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    this.requests.push(seen)
    for (const fault of this.faults) if (fault(seen, response) !== true) return
    const { collection, name } = placeOf(seen.path)
    const isList = seen.method === 'GET' && name === undefined
    try {
      if (isList && seen.query.get('watch')) this.#watch(collection, seen, response)
      else if (isList) this.#list(collection, seen, response)
      else json(response, seen.method === 'POST' ? 201 : 200, this.#answer(collection, name ?? '', seen))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      status(response, error.code, error.reason, error.message)
    }
  }

  #answer(collection: string, name: string, { method, headers, ...request }: SeenRequest): unknown {
    const body = (request.body ?? {}) as Record<string, unknown>
    const { truth } = this
    if (method === 'POST') return truth.create(collection, (body.metadata as { name: string }).name, body)
    if (method === 'GET') {
      const object = truth.get(collection, name)
      if (object === undefined) throw new Refusal(404, 'NotFound', `"${name}" not found`)
      return object
    }
    if (method === 'DELETE') {
      truth.delete(collection, name, (body.preconditions ?? {}) as Record<string, unknown>)
      return { kind: 'Status', status: 'Success' }
    }
    const isApply = headers['content-type'] === 'application/apply-patch+yaml'
    if (isApply && !truth.get(collection, name)) return truth.create(collection, name, body)
    return truth.change(collection, name, body, method === 'PATCH')
  }

  #list(collection: string, { query }: SeenRequest, response: ServerResponse): void {
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY)
    const token = query.get('continue')
    const [id = '', offset = '0'] = token?.split(':') ?? []
    const fresh = { version: this.truth.version, objects: this.truth.objects(collection) }
    const snapshot = token === null ? fresh : this.#snapshots.get(id)
    if (snapshot === undefined || snapshot.version < this.truth.compactedTo) {
      throw new Refusal(410, 'Expired', 'The provided continue parameter is too old')
    }
    const from = Number(offset)
    const items = snapshot.objects.slice(from, from + limit)
    const key = id || String(this.#snapshots.size)
    this.#snapshots.set(key, snapshot)
    const isLast = from + limit >= snapshot.objects.length
    const metadata = {
      resourceVersion: String(snapshot.version),
      ...(!isLast && { continue: `${key}:${from + limit}` }),
    }
    json(response, 200, { kind: 'List', metadata, items })
  }

  #watch(collection: string, { query }: SeenRequest, response: ServerResponse): void {
    const from = Number(query.get('resourceVersion'))
    if (from > this.truth.version) throw new Refusal(504, 'Timeout', 'Too large resource version')
    response.writeHead(200, { 'content-type': 'application/json' })
    if (from < this.truth.compactedTo) {
      const gone = {
        kind: 'Status',
        code: 410,
        reason: 'Expired',
        message: `too old resource version: ${from}`,
      }
      response.end(`${JSON.stringify({ type: 'ERROR', object: gone })}\n`)
      return
    }
    response.flushHeaders()
    for (const { type, object } of this.truth.since(collection, from)) response.write(eventLine(type, object))
    const watch = { collection, response }
    this.watches.add(watch)
    response.once('close', () => this.watches.delete(watch))
  }
}

/** A line of a watch. */
export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`
}

/** Answers with the API's `Status`. */
export function status(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  json(response, code, { kind: 'Status', status: 'Failure', code, reason, message }, headers)
}

function json(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(code, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/** `/api/v1/…/pods` is a collection, `/api/v1/…/pods/web-1` an object in it; parts of objects are as the object. */
function placeOf(path: string): { readonly collection: string; readonly name: string | undefined } {
  const parts = path.split('/').slice(1)
  const root = parts[0] === 'api' ? 2 : 3
  const length = parts[root] === 'namespaces' && parts.length > root + 2 ? root + 3 : root + 1
  return { collection: `/${parts.slice(0, length).join('/')}`, name: parts[length] }
}
