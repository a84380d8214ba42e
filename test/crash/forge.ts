import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Truth } from '../../sim/forge/core/index.ts'

const program = fileURLToPath(new URL('../../sim/forge/main.ts', import.meta.url))
/** A runner that fell silent is given up after this; GitHub takes minutes. */
const lostAfterMs = 4_000
const hourlyCalls = 100_000

/** The forge of the crash test: a process of its own, because a forge outlives those who use it. */
export interface CrashForge {
  readonly url: string
  submit(job: {
    repository: string
    name: string
    script: string
    labels?: readonly string[]
  }): Promise<number>
  dropWebhooks(count: number): Promise<void>
  truth(): Promise<Truth>
  /** Deletes the registration of a runner; false where there is none yet. */
  removeRunner(name: string): Promise<boolean>
  stop(): Promise<void>
}

export async function startForge(
  folder: string,
  webhookUrl: string,
  secrets: { readonly token: string; readonly webhookSecret: string },
  more: readonly string[] = [],
): Promise<CrashForge> {
  const args = ['--folder', folder, '--port', '0', '--webhook-url', webhookUrl, ...more]
  const delays = [`lostAfterMs=${lostAfterMs}`, 'offlineAfterMs=2000', 'renewEveryMs=500', 'pollHoldMs=1000']
  const child: ChildProcess = spawn(
    process.execPath,
    [program, ...args, ...delays.flatMap((d) => ['--delay', d])],
    {
      stdio: ['ignore', 'pipe', openSync(path.join(folder, '..', 'forge.log'), 'a')],
      env: {
        PATH: process.env.PATH,
        SIM_FORGE_TOKEN: secrets.token,
        SIM_FORGE_WEBHOOK_SECRET: secrets.webhookSecret,
      },
    },
  )
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  const { url } = JSON.parse(line.toString()) as { url: string }
  const call = async (method: string, where: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/_sim/${where}`, {
      method,
      headers: { authorization: `Bearer ${secrets.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  // Audits every few seconds instead of every minute: the budget is as many times larger.
  await call('POST', 'rate-limit', { limit: hourlyCalls, remaining: hourlyCalls })
  return {
    url,
    async submit(job) {
      const answer = (await call('POST', 'jobs', { labels: ['self-hosted'], ...job })) as { id: number }
      return answer.id
    },
    async dropWebhooks(count) {
      await call('POST', 'faults', { dropWebhooks: count })
    },
    truth: async () => (await call('GET', 'truth')) as Truth,
    async removeRunner(name) {
      const { runners } = (await call('GET', 'truth')) as Truth
      const runner = runners.find((each) => each.name === name && each.state !== 'gone')
      if (runner === undefined) return false
      const headers = { authorization: `Bearer ${secrets.token}` }
      const where = `${url}/repos/${runner.repository}/actions/runners/${runner.id}`
      const { status } = await fetch(where, { method: 'DELETE', headers })
      if (status !== 204) throw new Error(`DELETE ${where}: ${status}`)
      return true
    },
    async stop() {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
