import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Point } from './points.ts'

const program = fileURLToPath(new URL('./program.ts', import.meta.url))

export interface Place {
  readonly dataDir: string
  readonly port: number
  readonly forgeUrl: string
  readonly token: string
  readonly webhookSecret: string
}

/** One life of the real program. */
export interface Life {
  readonly exited: Promise<{ code: number | null; signal: string | null }>
  readonly serving: Promise<void>
  readonly alive: () => boolean
  kill(signal: 'SIGKILL' | 'SIGTERM'): void
}

/** Starts the program; it kills itself at the point if one is given. */
export function startHoldfast(place: Place, point?: Point & { readonly nth: number }): Life {
  const log = openSync(path.join(place.dataDir, '..', 'holdfast.log'), 'a')
  const child: ChildProcess = fork(program, {
    stdio: ['ignore', log, log, 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...(point && { CRASH_AT: `${point.call}:${point.when}:${point.nth}` }),
      HOLDFAST_DATA_DIR: place.dataDir,
      HOLDFAST_HTTP_PORT: String(place.port),
      HOLDFAST_FORGE_URL: place.forgeUrl,
      HOLDFAST_FORGE_TOKEN: place.token,
      HOLDFAST_FORGE_WEBHOOK_SECRETS: JSON.stringify([place.webhookSecret]),
      HOLDFAST_LOG_FORMAT: 'json',
      // Deadlines of seconds instead of minutes, so that a round is short; the order of things is the same.
      HOLDFAST_DISPATCH_POLL_MS: '3000',
      HOLDFAST_DISPATCH_MINT_DEADLINE_MS: '2000',
      HOLDFAST_DISPATCH_REGISTER_DEADLINE_MS: '4000',
      HOLDFAST_DISPATCH_START_DEADLINE_MS: '4000',
      HOLDFAST_RECOVERY_TICK_MS: '500',
      HOLDFAST_RECOVERY_STALE_QUEUED_AFTER_MS: '3000',
      HOLDFAST_RECOVERY_AUDIT_EVERY_MS: '3000',
      HOLDFAST_SHUTDOWN_DRAIN_MS: '3000',
    },
  })
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }))
  const serving = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    exited.then(
      ({ code, signal }) => reject(new Error(`ended with ${signal ?? code} before it served`)),
      reject,
    )
  })
  serving.catch(() => undefined) // a test that kills it early does not wait for it to serve
  return {
    exited,
    serving,
    alive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => void child.kill(signal),
  }
}

/** Kills the embedded Postgres' postmaster, as the kernel would. */
export async function killPostgres({ dataDir }: Place): Promise<boolean> {
  try {
    const text = await readFile(path.join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    process.kill(Number(text.split('\n')[0]), 'SIGKILL')
    return true
  } catch {
    return false // it was not running at that moment
  }
}
