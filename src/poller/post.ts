import type { IncomingMessage, RequestOptions } from 'node:http'

export interface Answer {
  readonly status: number
  readonly text: string
  /** The server's Retry-After; null where absent. */
  readonly retryAfterMs: number | null
}

export interface Question {
  readonly url: string
  readonly secret: string
  readonly body: unknown
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A runner configuration has some kilobytes; a larger answer is not Holdfast's. */
const answerBytesMax = 1024 * 1024

/** Sends one request. Rejects where no whole answer came: then the server may have received it or not. */
export async function post({ url, secret, body, timeoutMs, signal }: Question): Promise<Answer> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const content = Buffer.from(JSON.stringify(body))
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'content-length': content.length,
  }
  const options: RequestOptions = { method: 'POST', headers, signal, agent: false }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      readAnswer(incoming).then(resolve, reject)
    })
    // A timeout of silence on the connection: only this detects a server that vanished.
    outgoing.setTimeout(timeoutMs, () => outgoing.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    outgoing.once('error', reject)
    outgoing.end(content)
  })
}

async function readAnswer(incoming: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > answerBytesMax) {
      incoming.destroy()
      throw new Error(`the answer is larger than ${answerBytesMax} bytes`)
    }
    chunks.push(chunk)
  }
  const seconds = Number(incoming.headers['retry-after'] ?? Number.NaN) // a date counts as absent: we back off
  return {
    status: incoming.statusCode ?? 0,
    text: Buffer.concat(chunks).toString('utf8'),
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null,
  }
}
