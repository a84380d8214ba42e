import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

const program = fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url))
const servesWithinMs = 90_000
const runnersMax = 6

export interface Place {
  readonly dataDir: string
  readonly logFile: string
  readonly port: number
  readonly giteaUrl: string
  readonly token: string
  readonly webhookSecret: string
}

/** The real program, as people start it, which can be killed and started again. */
export interface Holdfast {
  readonly url: string
  start(): Promise<void>
  kill(): Promise<void>
  /** As Ctrl-C; gives the exit code. */
  end(): Promise<number | null>
}

/** `holdfast up --forge gitea` in this place. */
export function holdfastIn(place: Place): Holdfast {
  const url = `http://127.0.0.1:${place.port}`
  let child: ChildProcess | undefined
  const gone = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return null
    const exited = once(child, 'exit') as Promise<[number | null]>
    child.kill(signal)
    const [code] = await exited
    return code
  }
  return {
    url,
    async start() {
      const log = openSync(place.logFile, 'a')
      child = spawn(process.execPath, [program, 'up', '--forge', 'gitea'], {
        stdio: ['ignore', log, log],
        env: environment(place),
      })
      closeSync(log)
      const isReady = async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
      await until('Holdfast serves', servesWithinMs, async () => {
        if (child?.exitCode !== null) throw new Error(`holdfast up ended with ${child?.exitCode}`)
        return isReady()
      })
    },
    async kill() {
      await gone('SIGKILL')
    },
    end: () => gone('SIGTERM'),
  }
}

/** Deadlines of seconds instead of minutes, so that the story is short; the order of things is the same. */
function environment(place: Place): NodeJS.ProcessEnv {
  const pool = { name: 'local', labels: ['self-hosted', 'linux'], minWarm: 2, maxRunners: runnersMax }
  return {
    PATH: process.env.PATH,
    HOME: path.dirname(place.dataDir),
    HOLDFAST_DATA_DIR: place.dataDir,
    HOLDFAST_HTTP_PORT: String(place.port),
    HOLDFAST_FORGE_URL: place.giteaUrl,
    HOLDFAST_FORGE_TOKEN: place.token,
    HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([place.webhookSecret]),
    HOLDFAST_POOLS: JSON.stringify([pool]),
    HOLDFAST_LOG_FORMAT: 'json',
    HOLDFAST_DISPATCH_POLL_MS: '3000',
    HOLDFAST_DISPATCH_MINT_DEADLINE_MS: '5000',
    HOLDFAST_DISPATCH_REGISTER_DEADLINE_MS: '10000',
    HOLDFAST_DISPATCH_START_DEADLINE_MS: '10000',
    HOLDFAST_RECOVERY_TICK_MS: '1000',
    HOLDFAST_RECOVERY_STALE_QUEUED_AFTER_MS: '5000',
    HOLDFAST_RECOVERY_AUDIT_EVERY_MS: '4000',
    HOLDFAST_SHUTDOWN_DRAIN_MS: '3000',
  }
}
