import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { connectionsMax, forEach } from './api.ts'

/** Stands between the forge and Holdfast, so that webhooks can be held back and come all at once. */
export interface Relay {
  readonly url: string
  /** From now on those with this action are kept. */
  hold(action: string): void
  /** How many of this event are kept. */
  held(event: string): number
  /** Sends what is kept of this event, or of any, over 16 connections; those to come go straight again. */
  release(event?: string): Promise<void>
  /** Keeps nothing any more. */
  forget(): void
  close(): Promise<void>
}

interface Message {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export async function startRelay(target: string): Promise<Relay> {
  const agent = new Agent({ connections: connectionsMax })
  let action: string | null = null
  let kept: Message[] = []

  async function send({ headers, body }: Message): Promise<number> {
    const passed = Object.entries(headers).filter(([name]) => /^(x-|content-type|user-agent)/.test(name))
    const answer = await request(target, {
      method: 'POST',
      dispatcher: agent,
      body,
      headers: Object.fromEntries(passed) as Record<string, string>,
    })
    await answer.body.dump()
    return answer.statusCode
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const message = { headers: incoming.headers, body: Buffer.concat(chunks).toString() }
    if (action !== null && message.body.includes(`"action":"${action}"`)) {
      kept.push(message)
      outgoing.writeHead(202).end()
      return
    }
    outgoing.writeHead(await send(message).catch(() => 502)).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold(held) {
      action = held
    },
    held: (event) => kept.filter((message) => eventOf(message) === event).length,
    async release(event) {
      action = null
      const all = kept.filter((message) => event === undefined || eventOf(message) === event)
      kept = kept.filter((message) => !all.includes(message))
      await forEach(all, connectionsMax, async (message) => {
        const status = await send(message)
        if (status !== 202) throw new Error(`a webhook was answered with ${status}`)
      })
    },
    forget() {
      action = null
      kept = []
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await agent.destroy()
    },
  }
}

function eventOf({ headers }: Message): string | string[] | undefined {
  return headers['x-github-event']
}
