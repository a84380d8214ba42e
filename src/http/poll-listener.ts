import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { HoldfastError } from '../domain/errors/index.ts'
import type { HttpDeps } from './deps.ts'
import { errorAnswer } from './request/errors.ts'
import { answerHeaders } from './request/headers.ts'
import { type Ask, bodyBytesMax, type Question } from './routes/dispatch.ts'

const path = '/v1/dispatch'

type Deps = Pick<HttpDeps, 'metrics' | 'clock' | 'log'>

/**
 * Answers the long polls that a whole fleet holds open, and leaves other requests to `otherwise`. It uses Node's own
 * objects only: the Request, signal and context of other routes cost 6 KB for each waiting poll, and allocating and
 * collecting them again is much of what an idle fleet costs.
 */
export function pollListener(ask: Ask, deps: Deps, otherwise: RequestListener): RequestListener {
  return (incoming, outgoing) => {
    if (incoming.url === path && incoming.method === 'POST') void answer(incoming, outgoing, ask, deps)
    else otherwise(incoming, outgoing)
  }
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  ask: Ask,
  { metrics, clock, log }: Deps,
): Promise<void> {
  const startedAt = clock.now()
  const ending = new AbortController()
  outgoing.once('close', () => ending.abort())
  const response = await readAll(incoming)
    .then((body) => ask(questionOf(incoming, body, ending)))
    .then(
      (job) => ({ status: job === null ? 204 : 200, headers: {}, body: job }),
      (error: unknown) => errorAnswer(error, { method: 'POST', path }, log),
    )
  const text = response.body === null ? null : JSON.stringify(response.body)
  const type = text === null ? {} : { 'content-type': 'application/json' }
  outgoing.writeHead(response.status, { ...answerHeaders, ...type, ...response.headers })
  outgoing.end(text ?? undefined)
  const status = `${Math.floor(response.status / 100)}xx`
  metrics.observe('holdfast_http_request_seconds', { route: path, status }, (clock.now() - startedAt) / 1000)
}

/** Reads a body, never more than the bound into memory. */
function readAll(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let isOver = false
    const end = (settle: () => void): void => {
      if (!isOver) settle()
      isOver = true
    }
    const refuse = (): void => reject(new HoldfastError('E_REQUEST_TOO_LARGE', { bytesMax: bodyBytesMax }))
    const cut = (cause?: unknown): void => reject(new HoldfastError('E_REQUEST_CUT', {}, cause))
    if (Number(incoming.headers['content-length'] ?? 0) > bodyBytesMax) end(refuse)
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bodyBytesMax) end(refuse)
      if (!isOver) chunks.push(chunk)
    })
    incoming.once('end', () => end(() => resolve(Buffer.concat(chunks))))
    incoming.once('error', (error) => end(() => cut(error)))
    incoming.once('close', () => end(cut))
  })
}

/** Clears the headers of the request: the token need not stay in memory while the runner waits. */
function questionOf(incoming: IncomingMessage, body: Uint8Array, ending: AbortController): Question {
  const { authorization, host } = incoming.headers
  incoming.rawHeaders = []
  incoming.headers = {}
  return { body, authorization, ending, root: () => rootOf(host) }
}

/** The origin of the request. */
function rootOf(host: string | undefined): string {
  const root = `http://${host}/`
  return URL.canParse(root) ? root : 'http://localhost/'
}
