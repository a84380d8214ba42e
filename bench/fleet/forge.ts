import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../sim/forge/main.ts', import.meta.url))
/** Runners that are held back for a measurement are not given up meanwhile. */
const delays = ['lostAfterMs=600000', 'offlineAfterMs=600000', 'renewEveryMs=60000']
const hourlyCalls = 1_000_000
const jobsARun = 200
const repositories = 20

/** The simulated forge in a process of its own. */
export interface BenchForge {
  readonly url: string
  readonly pid: number
  submit(count: number, labels: readonly string[]): Promise<readonly number[]>
  cancel(job: number): Promise<void>
  /** Cancels every job that was ever submitted, where it is not over. */
  cancelAll(): Promise<void>
  /** The next mints are answered so much later. */
  slowMints(count: number, delayMs: number): Promise<void>
  forgetFaults(): Promise<void>
  stop(): Promise<void>
}

export interface ForgeSecrets {
  readonly token: string
  readonly webhookSecret: string
}

export async function startBenchForge(
  folder: string,
  webhookUrl: string,
  { token, webhookSecret }: ForgeSecrets,
): Promise<BenchForge> {
  await mkdir(folder)
  const args = ['--folder', folder, '--port', '0', '--webhook-url', webhookUrl]
  const child: ChildProcess = spawn(
    process.execPath,
    [program, ...args, ...delays.flatMap((delay) => ['--delay', delay])],
    {
      stdio: ['ignore', 'pipe', openSync(path.join(folder, '..', 'forge.log'), 'a')],
      env: { PATH: process.env.PATH, SIM_FORGE_TOKEN: token, SIM_FORGE_WEBHOOK_SECRET: webhookSecret },
    },
  )
  const exited = once(child, 'exit')
  const [line] = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data') as Promise<[Buffer]>,
    exited.then(([code]): never => {
      throw new Error(`the simulated forge ended with ${code}`)
    }),
  ])
  const { url } = JSON.parse(line.toString()) as { url: string }
  async function order<T>(method: string, where: string, body?: object): Promise<T> {
    const answer = await fetch(`${url}/_sim/${where}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${await answer.text()}`)
    return (answer.status === 204 ? undefined : await answer.json()) as T
  }
  await order('POST', 'rate-limit', { limit: hourlyCalls, remaining: hourlyCalls })
  let runs = 0
  const submitted: number[] = []
  return {
    url,
    pid: child.pid as number,
    async submit(count, labels) {
      const ids: number[] = []
      while (ids.length < count) {
        runs += 1
        const jobs = Array.from({ length: Math.min(jobsARun, count - ids.length) }, (_, index) => {
          return { name: `job ${index}`, labels, script: 'exit 0' }
        })
        const repository = `acme/app-${runs % repositories}`
        const made = await order<{ job_ids: number[] }>('POST', 'runs', {
          repository,
          workflow: 'bench',
          jobs,
        })
        ids.push(...made.job_ids)
        submitted.push(...made.job_ids)
      }
      return ids
    },
    cancel: (job) => order('POST', `jobs/${job}/cancel`),
    async cancelAll() {
      for (const job of submitted.splice(0)) await order('POST', `jobs/${job}/cancel`).catch(() => undefined)
    },
    slowMints: (count, delayMs) =>
      order('POST', 'faults', { rest: { count, do: 'slow', delayMs, match: 'generate-jitconfig' } }),
    forgetFaults: () => order('DELETE', 'faults'),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
