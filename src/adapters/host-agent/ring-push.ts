import { readFileSync } from 'node:fs'
import type { Agent as HttpAgent, request as httpRequest, IncomingMessage } from 'node:http'
import { reasonOf } from '../../domain/reason.ts'
import type { Pushed, RingPush } from '../../ports/host-agent.ts'

const defaultTimeoutMs = 20_000
const answerBytesMax = 4 * 1024
const tokenCharsMax = 16 * 1024
/** Statuses with which the server refuses this ring itself; every other one is retryable. */
const final = new Set([400, 409, 413, 415, 422])

export interface RingPushOptions {
  readonly url: string
  readonly tokenFile: string
}

/**
 * Pushes over HTTP. Node's modules for it are loaded with the first push, and not by `import`, which evaluates every
 * export of theirs and takes 14 MB more.
 */
export function createRingPush({ url, tokenFile }: RingPushOptions): RingPush {
  const target = new URL('v1/agent/rings', url.endsWith('/') ? url : `${url}/`)
  const http = clientOf(target)
  return {
    async push(ring, signal) {
      const token = readToken(tokenFile)
      if (token === null) return failed(`no token could be read from ${tokenFile}`)
      const body = Buffer.from(JSON.stringify(ring))
      try {
        return await send(http(), target, token, body, signal)
      } catch (error) {
        signal.throwIfAborted()
        return failed(reasonOf(error))
      }
    },
  }
}

/** The token is renewed in place, so it is read for each push. */
function readToken(file: string): string | null {
  try {
    const token = readFileSync(file, 'utf8').trim()
    return /^[\x21-\x7e]+$/.test(token) && token.length <= tokenCharsMax ? token : null
  } catch {
    return null
  }
}

interface Client {
  readonly request: typeof httpRequest
  readonly agent: HttpAgent
}

/** One keep-alive connection: with a hundred pods there is a push each half second, and a new one costs as much again. */
function clientOf({ protocol }: URL): () => Client {
  let client: Client | undefined
  return () => {
    if (client === undefined) {
      const isSecure = protocol === 'https:'
      const { request, Agent } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http')
      client = { request, agent: new Agent({ keepAlive: true, maxSockets: 1 }) }
    }
    return client
  }
}

function send(
  client: Client,
  target: URL,
  token: string,
  body: Buffer,
  signal: AbortSignal,
): Promise<Pushed> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    }
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(defaultTimeoutMs)])
    const { request, agent } = client
    const outgoing = request(target, { method: 'POST', headers, signal: deadline, agent })
    outgoing.once('error', (error) => {
      // The server closed an idle connection just as it was re-used: a ring may be sent twice, so retry.
      const isStale = outgoing.reusedSocket && 'code' in error && error.code === 'ECONNRESET'
      if (isStale && !deadline.aborted) resolve(send(client, target, token, body, signal))
      else reject(error)
    })
    outgoing.once('response', (answer) => {
      readBody(answer).then((text) => resolve(pushedBy(answer, text)), reject)
    })
    outgoing.end(body)
  })
}

async function readBody(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of answer) {
    text += (piece as Buffer).toString('utf8')
    if (text.length > answerBytesMax) break
  }
  return text.slice(0, answerBytesMax)
}

function pushedBy({ statusCode = 0, headers }: IncomingMessage, text: string): Pushed {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'taken' }
  const why = `the server answered ${statusCode}: ${messageIn(text)}`
  if (final.has(statusCode)) return { kind: 'refused', why }
  const seconds = Number(headers['retry-after'])
  return { ...failed(why), retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : null }
}

function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    if (typeof error?.message === 'string') return error.message
  } catch {
    // not JSON of ours: the body is shown as it is
  }
  return text.slice(0, 200).replaceAll(/\s+/g, ' ')
}

function failed(why: string): Pushed & { readonly kind: 'failed' } {
  return { kind: 'failed', why, retryAfterMs: null }
}
