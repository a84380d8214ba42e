import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The line between Gitea and Holdfast on which webhooks can get lost. */
export interface HookLine extends AsyncDisposable {
  readonly url: string
  readonly tally: { passed: number; dropped: number; refused: number }
  isCut: boolean
}

/** Passes webhooks on to an address; while it is cut they are taken and forgotten, and nobody learns of it. */
export async function openHookLine(to: string): Promise<HookLine> {
  const tally = { passed: 0, dropped: 0, refused: 0 }
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request)
    if (line.isCut) {
      tally.dropped += 1
      response.end()
      return
    }
    const status = await passOn(to, request, body)
    tally[status < 300 ? 'passed' : 'refused'] += 1
    response.writeHead(status).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const line: HookLine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    tally,
    isCut: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return line
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function passOn(to: string, request: IncomingMessage, body: Buffer): Promise<number> {
  const headers = Object.entries(request.headers).filter(
    ([name, value]) => typeof value === 'string' && !['host', 'content-length', 'connection'].includes(name),
  ) as [string, string][]
  try {
    const answer = await fetch(to, { method: 'POST', headers, body: new Uint8Array(body) })
    await answer.body?.cancel()
    return answer.status
  } catch {
    return 502 // Holdfast is down
  }
}
