import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../../src/ports/log.ts'
import type { ForgeDelays, Truth } from '../core/index.ts'

export const token = 'token-of-tests'
export const webhookSecret = 'secret-of-tests'
const main = fileURLToPath(new URL('../main.ts', import.meta.url))

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLog,
}

export interface Answered {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  readonly body: any
}

/** Calls to a forge as a test makes them. */
export function forgeCalls(url: string) {
  const send = async (method: string, path: string, body?: unknown, bearer = token): Promise<Answered> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      // A forge that restarts in a test must not meet a connection of its former life.
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: asJson(text) }
  }
  return {
    send,
    submit: async (job: object = {}): Promise<number> => {
      const { body } = await send('POST', '/_sim/jobs', { ...plainJob, ...job })
      return body.id
    },
    mint: async (name: string, repository = plainJob.repository): Promise<{ jit: string; id: number }> => {
      const { body } = await send('POST', `/repos/${repository}/actions/runners/generate-jitconfig`, {
        name,
        runner_group_id: 1,
        labels: plainJob.labels,
      })
      return { jit: body.encoded_jit_config, id: body.runner.id }
    },
    connect: async (encoded: string, owner: string): Promise<Answered> => {
      const { jit } = JSON.parse(Buffer.from(encoded, 'base64').toString()) as { jit: string }
      return send('POST', '/_runner/sessions', { jit, owner })
    },
    truth: async (): Promise<Truth> => (await send('GET', '/_sim/truth')).body,
  }
}
export type ForgeCalls = ReturnType<typeof forgeCalls>

export const plainJob = {
  repository: 'acme/shop',
  name: 'build',
  labels: ['self-hosted', 'linux'],
  script: 'echo hello',
}

export interface ForgeProcess {
  readonly url: string
  readonly port: number
  kill(signal: NodeJS.Signals): Promise<void>
}

/** The forge as a process of its own. */
export async function spawnForge(
  folder: string,
  port: number,
  delays: Partial<ForgeDelays> = {},
): Promise<ForgeProcess> {
  const flags = Object.entries(delays).flatMap(([name, ms]) => ['--delay', `${name}=${ms}`])
  const child = spawn(process.execPath, [main, '--folder', folder, '--port', String(port), ...flags], {
    env: { ...process.env, SIM_FORGE_TOKEN: token, SIM_FORGE_WEBHOOK_SECRET: webhookSecret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const first = await firstLine(child)
  const { url, port: taken } = JSON.parse(first) as { url: string; port: number }
  return {
    url,
    port: taken,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
    },
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the process has no output')
  for await (const line of createInterface(child.stdout)) return line
  throw new Error('the process ended without a line')
}

export interface Received {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Buffer
}

/** Takes webhooks, answers with a status, and lets a test wait for them. */
export async function startReceiver(status = 202) {
  const received: Received[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({
        headers: request.headers as Received['headers'],
        body: Buffer.concat(chunks),
      })
      response.writeHead(status).end()
      for (const wake of [...waiting]) wake()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    received,
    async count(wanted: number): Promise<void> {
      while (received.length < wanted) {
        await new Promise<void>((resolve) => {
          const wake = (): void => {
            waiting.delete(wake)
            resolve()
          }
          waiting.add(wake)
        })
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
