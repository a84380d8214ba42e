import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestJudge } from '../contract/github/description.ts'

export interface Judged extends AsyncDisposable {
  /** Where a client finds the forge. */
  readonly url: string
  /** How many exchanges were judged. */
  readonly count: number
  /** Every difference from GitHub's description, each once. */
  readonly differences: ReadonlySet<string>
}

/** Headers that belong to the connection and not to the forge's answer. */
const ofConnection = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-encoding',
  'content-length',
])
/** The simulator's own paths. */
const own = /^\/_(sim|runner|logs)\//

/** GitHub refuses so as well, and does not describe it. */
const undescribed: ReadonlySet<string> = new Set([
  // Nothing waits for an approval any more.
  'POST /repos/{owner}/{repo}/actions/runs/{run_id}/pending_deployments (422): status 422: GitHub does not describe it',
])

/** Stands between a client and the forge, and judges each exchange by GitHub's description, as is done with our own. */
export async function judgedForge(forgeUrl: string): Promise<Judged> {
  const judge = createRestJudge()
  const differences = new Set<string>()
  let count = 0
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => {
      differences.add(`${request.method} ${request.url}: no answer: ${error}`)
      response.destroy()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET' } = request
    const chunks: Uint8Array[] = []
    for await (const chunk of request) chunks.push(chunk as Uint8Array)
    const body = Buffer.concat(chunks)
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers)) {
      if (value !== undefined && name !== 'host' && !ofConnection.has(name)) headers.set(name, String(value))
    }
    const to = new URL(request.url ?? '/', forgeUrl)
    const init = { method, headers, redirect: 'manual' as const, ...(body.length > 0 && { body }) }
    const answer = await fetch(to, init)
    const given = Buffer.from(await answer.arrayBuffer())
    if (!own.test(to.pathname)) {
      count += 1
      const asked = body.length === 0 ? undefined : jsonOf(body.toString())
      const { status } = answer
      const judged = judge({
        method,
        url: to,
        request: asked,
        status,
        headers: answer.headers,
        text: given.toString(),
      })
      for (const why of judged.problems) {
        const difference = `${judged.operation ?? `${method} ${to.pathname}`} (${status}): ${why}`
        if (!undescribed.has(difference)) differences.add(difference)
      }
    }
    const shown = (text: string) => text.replaceAll(forgeUrl, url)
    for (const [name, value] of answer.headers) {
      if (!ofConnection.has(name)) response.setHeader(name, shown(value))
    }
    const isText = /json|text/.test(answer.headers.get('content-type') ?? '')
    response.writeHead(answer.status).end(isText ? shown(given.toString()) : given)
  }

  return {
    url,
    get count() {
      return count
    },
    differences,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** ghinstallation sends null where it has nothing to say, and GitHub takes it for that. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return text
  }
}
