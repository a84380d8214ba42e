import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Agent, fetch } from 'undici'
import type { Place } from './place.ts'

const answerWithinMs = 30_000

/** An answer of the API server. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** Throws where the answer is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the API server's objects, read by tests
  readonly body: any
}

/** The API server of a cluster as its administrator sees it; for tests, which need no client library. */
export interface Api extends AsyncDisposable {
  readonly url: string
  /** Any answer is given as it is. Throws where there is none. */
  request(method: string, path: string, body?: object, contentType?: string): Promise<Answer>
}

/** Opens the API on this port of the loopback. */
export async function openApi(place: Place, port: number): Promise<Api> {
  const [ca, cert, key] = await Promise.all(
    ['ca.crt', 'admin.crt', 'admin.key'].map((file) => readFile(path.join(place.certificates, file), 'utf8')),
  )
  const dispatcher = new Agent({ connect: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) } })
  const url = `https://127.0.0.1:${port}`
  return {
    url,
    async request(method, path, body, contentType = 'application/json') {
      const response = await fetch(`${url}${path}`, {
        method,
        dispatcher,
        signal: AbortSignal.timeout(answerWithinMs),
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': contentType } }),
      })
      const text = await response.text()
      return {
        status: response.status,
        text,
        get body() {
          return JSON.parse(text)
        },
      }
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  }
}
