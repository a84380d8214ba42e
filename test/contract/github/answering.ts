import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGitHub, type GitHub, type GitHubOptions } from '../../../src/adapters/github/index.ts'
import { clock, recordedLog } from '../../support/machine.ts'
import { untilTestEnds } from '../../support/until-test-ends.ts'

export const podToken = 'ghs_veryVerySecretToken000000000000000000'

/** Our GitHub client over a server that answers with `listener`, until the test ends. */
export async function github(listener: RequestListener, given: Partial<GitHubOptions> = {}): Promise<GitHub> {
  const apiUrl = await answering(listener)
  const ours = createGitHub({
    apiUrl,
    installation: 'gh',
    timeoutMs: 10_000,
    clock,
    log: recordedLog(),
    webhookSecrets: () => [],
    credentials: { kind: 'token', token: () => podToken },
    ...given,
  })
  untilTestEnds({ [Symbol.asyncDispose]: async () => ours.close() })
  return ours
}

/** The address of a server that lives until the test ends. */
export async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  untilTestEnds({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

type Reply = readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>]
export type Routes = Readonly<Record<string, Reply | ((request: IncomingMessage) => Reply)>>

export interface Seen {
  readonly route: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers by `METHOD /path`, with or without the query, GET where no method is named; 404 otherwise. */
export function routed(routes: Routes, seen: Seen[] = []): RequestListener {
  return async (request, response) => {
    const url = new URL(request.url ?? '', 'http://forge')
    const paths = [`${url.pathname}${url.search}`, `${url.pathname}?status=${url.searchParams.get('status')}`]
    const names = [...paths, url.pathname].flatMap((path) => [
      `${request.method} ${path}`,
      ...(request.method === 'GET' ? [path] : []),
    ])
    const name = names.find((each) => routes[each] !== undefined) ?? ''
    let body = ''
    for await (const chunk of request) body += chunk
    const { headers } = request
    seen.push({ route: `${request.method} ${url.pathname}`, url: request.url ?? '', headers, body })
    const reply = routes[name] ?? [404, { message: 'Not Found' }]
    send(response, typeof reply === 'function' ? reply(request) : reply)
  }
}

function send(response: ServerResponse, [status, body, headers]: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(body === undefined ? undefined : JSON.stringify(body))
}
