import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** As people start it. */
const launcher = fileURLToPath(new URL('../../bin/holdfast', import.meta.url))
const servesWithinMs = 60_000
const endsWithinMs = 20_000
const lookEveryMs = 50

/** One life of Holdfast, started by its launcher. */
export interface Life {
  readonly pid: number
  readonly url: string
  token(): Promise<string>
  log(): Promise<string>
  /** Asks it to end, and kills it where it does not. */
  end(): Promise<void>
}

export interface LifePlace {
  readonly dataDir: string
  readonly port: number
  readonly env: Readonly<Record<string, string>>
}

/** Starts Holdfast; resolves when it serves. */
export async function startLife({ dataDir, port, env }: LifePlace): Promise<Life> {
  await mkdir(dataDir, { recursive: true })
  const logFile = `${dataDir}.log`
  const out = openSync(logFile, 'a')
  const child: ChildProcess = spawn(launcher, ['up'], {
    stdio: ['ignore', out, out],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      XDG_CACHE_HOME: path.dirname(dataDir),
      HOLDFAST_DATA_DIR: dataDir,
      HOLDFAST_HTTP_PORT: `${port}`,
      HOLDFAST_LOG_FORMAT: 'json',
      // Such as --cpu-prof, to see where its time goes.
      ...(process.env.BENCH_NODE_OPTIONS && { NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS }),
      ...env,
    },
  })
  const exited = once(child, 'exit')
  const life: Life = {
    pid: child.pid as number,
    url: `http://127.0.0.1:${port}`,
    token: async () => (await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim(),
    log: () => readFile(logFile, 'utf8'),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
      await exited
      clearTimeout(kill)
    },
  }
  const giveUpAt = performance.now() + servesWithinMs
  while (!(await isReady(life))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null
    if (!hasEnded && performance.now() < giveUpAt) {
      await pause(lookEveryMs)
      continue
    }
    await life.end()
    const tail = (await life.log()).split('\n').slice(-20).join('\n')
    throw new Error(`Holdfast ${hasEnded ? 'ended before it served' : 'does not serve'}:\n${tail}`)
  }
  return life
}

function isReady({ url }: Life): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    async (answer) => {
      await answer.body?.cancel()
      return answer.ok
    },
    () => false,
  )
}
