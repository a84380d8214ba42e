import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Truth } from '../../../sim/forge/core/index.ts'
import type { ForgeNumbers } from './numbers.ts'

const program = fileURLToPath(new URL('./program.ts', import.meta.url))
const stopBoundMs = 10_000

/** A job as the forge itself has it; times in milliseconds. */
export interface ForgeJobRow {
  readonly id: number
  readonly runId: number
  readonly status: string
  readonly conclusion: string | null
  readonly runnerName: string | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly completedAt: number | null
}

/** The simulated forge as a process of its own, with a GitHub App that may call it. */
export interface FaultyForge {
  readonly url: string
  readonly appId: number
  readonly privateKeyPem: string
  /** Sends a request in the role of people, to order a fault or to read the truth. */
  order<T = unknown>(method: string, where: string, body?: unknown): Promise<T>
  truth(): Promise<Truth>
  jobs(): Promise<readonly ForgeJobRow[]>
  numbers(): Promise<ForgeNumbers>
  /** The calls that are left to the installation in this window. */
  budgetLeft(): Promise<number>
  stop(): Promise<void>
}

export interface FaultyForgeOptions {
  readonly folder: string
  readonly webhookUrl: string
  readonly token: string
  readonly webhookSecret: string
  readonly delays: Readonly<Record<string, number>>
}

const appId = 4711

export async function startForge(options: FaultyForgeOptions): Promise<FaultyForge> {
  const { folder, webhookUrl, token, webhookSecret, delays } = options
  await mkdir(folder, { recursive: true })
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  })
  const keyFile = path.join(folder, 'app.pub.pem')
  await writeFile(keyFile, publicKey)
  const args = ['--folder', folder, '--port', '0', '--webhook-url', webhookUrl, '--choose', 'any']
  const app = ['--app-id', String(appId), '--app-key', keyFile]
  const child: ChildProcess = spawn(
    process.execPath,
    [program, ...args, ...app, ...Object.entries(delays).flatMap((delay) => ['--delay', delay.join('=')])],
    {
      stdio: ['ignore', 'pipe', openSync(path.join(folder, '..', 'forge.log'), 'a'), 'ipc'],
      env: { PATH: process.env.PATH, SIM_FORGE_TOKEN: token, SIM_FORGE_WEBHOOK_SECRET: webhookSecret },
    },
  )
  const exited = once(child, 'exit')
  const [line] = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data') as Promise<[Buffer]>,
    exited.then(([code]): never => {
      throw new Error(`the simulated forge ended with ${code}; see ${path.join(folder, '..', 'forge.log')}`)
    }),
  ])
  const { url } = JSON.parse(line.toString()) as { url: string }
  const order = async <T>(method: string, where: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/_sim/${where}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${where}: ${response.status} ${text}`)
    return (text === '' ? null : JSON.parse(text)) as T
  }
  return {
    url,
    appId,
    privateKeyPem: privateKey,
    order,
    truth: () => order<Truth>('GET', 'truth'),
    jobs: async () => (await order<{ jobs: ForgeJobRow[] }>('GET', 'jobs')).jobs,
    async numbers() {
      const answer = once(child, 'message') as Promise<[ForgeNumbers]>
      child.send('numbers')
      return (await answer)[0]
    },
    budgetLeft: async () => (await order<{ remaining: number }>('POST', 'rate-limit', {})).remaining,
    async stop() {
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopBoundMs)
      child.kill('SIGTERM')
      await exited
      clearTimeout(impatient)
    },
  }
}
