import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Agent, request } from 'undici'
import type { Cluster } from '../../test/cluster/index.ts'

/** As many as Holdfast has creates under way. */
export const connectionsMax = 16
const answerWithinMs = 60_000

/** The API server as its administrator calls it over so many kept connections: the bench's calls, not Holdfast's. */
export interface BareApi {
  readonly url: string
  readonly tls: Tls
  call(method: Method, path: string, body?: object, contentType?: string): Promise<Answered>
  /** A watch, line by line, until it ends. */
  lines(path: string, signal: AbortSignal): AsyncGenerator<string>
  close(): Promise<void>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export interface Answered {
  readonly status: number
  readonly text: string
}

interface Tls {
  readonly ca: string
  readonly cert: string
  readonly key: string
}

export async function openBareApi({ api, place }: Cluster, connections = connectionsMax): Promise<BareApi> {
  const [ca = '', cert = '', key = ''] = await Promise.all(
    ['ca.crt', 'admin.crt', 'admin.key'].map((file) => readFile(path.join(place.certificates, file), 'utf8')),
  )
  const tls = { ca, cert, key }
  const agent = new Agent({ connections, connect: tls, bodyTimeout: 0 })
  const watching = new Agent({ connect: tls, bodyTimeout: 0 })
  return {
    url: api.url,
    tls,
    async call(method, at, body, contentType = 'application/json') {
      const { statusCode, body: answer } = await request(`${api.url}${at}`, {
        method,
        dispatcher: agent,
        signal: AbortSignal.timeout(answerWithinMs),
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': contentType } }),
      })
      return { status: statusCode, text: await answer.text() }
    },
    async *lines(at, signal) {
      const headers = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }
      const { body } = await request(`${api.url}${at}`, { dispatcher: watching, signal, headers })
      body.setEncoding('utf8')
      let rest = ''
      for await (const text of body) {
        const lines = (rest + text).split('\n')
        rest = lines.pop() ?? ''
        yield* lines
      }
    },
    async close() {
      await Promise.all([agent.destroy(), watching.destroy()])
    },
  }
}

/** Throws where the answer is no success. */
export function must(what: string, { status, text }: Answered): string {
  if (status >= 200 && status < 300) return text
  throw new Error(`${what}: ${status} ${text.slice(0, 500)}`)
}

/** Runs the work for each, so many at once. */
export async function forEach<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let next = left.next(); !next.done; next = left.next()) await work(next.value)
    }),
  )
}
