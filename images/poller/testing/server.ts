import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Scripted {
  readonly status: number
  /** A string is sent as it is. */
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
/** `lost`: the request arrives, and the connection ends without an answer. `cut`: it ends within the answer. */
export type Step = Scripted | 'lost' | 'cut' | 'silent' | 'endless'

interface ReceivedRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly body: unknown
  readonly at: number
}

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** The requests so far, the oldest first. */
  readonly requests: readonly ReceivedRequest[]
  /** The next answers; when none is left, the server answers that the runner must leave. */
  readonly steps: Step[]
  /** Called when a request has arrived, before it is answered. */
  onRequest: (count: number) => void | Promise<void>
  /** Resolves when so many requests have arrived. */
  received(count: number): Promise<void>
  close(): Promise<void>
  listen(): Promise<void>
}

/** For tests: a server that gives a poller the answers of a script. */
export async function scriptedServer(): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = []
  const steps: Step[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => void answer(request, response))
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const made: ScriptedServer = {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    steps,
    close,
    onRequest: () => undefined,
    received: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (requests.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    listen: () => listen(port),
    [Symbol.asyncDispose]: close,
  }
  return made

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const { authorization, 'content-type': type } = request.headers
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    requests.push({ path: request.url ?? '', authorization, type, body, at: Date.now() })
    await made.onRequest(requests.length)
    for (const look of [...waiting]) look()
    give(steps.shift() ?? { status: 410 }, request, response)
  }
}

function give(step: Step, request: IncomingMessage, response: ServerResponse): void {
  if (step === 'silent') return
  if (step === 'lost') return void request.socket.destroy()
  if (step === 'cut') {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('{"attempt":', () => request.socket.destroy())
    return
  }
  if (step === 'endless') {
    response.writeHead(200)
    const more = (): void => void (response.destroyed || response.write('x'.repeat(65_536), more))
    more()
    return
  }
  const { status, body, headers = {} } = step
  const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : body && JSON.stringify(body)
  response.writeHead(status, headers).end(content)
}
