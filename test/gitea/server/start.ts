import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../../../src/main/machine/free-port.ts'
import type { BuiltGitea } from './build.ts'

const readyWithinMs = 60_000
const lookEveryMs = 100
const stopWithinMs = 10_000
const ownPatience = '10m'

/** A Gitea on loopback that can be killed and started again on the same folder and port. */
export interface GiteaServer {
  readonly url: string
  readonly version: string
  readonly pid: () => number | undefined
  start(): Promise<void>
  /** Sends SIGKILL: nothing is flushed, and no client gets an answer. */
  kill(): Promise<void>
  stop(): Promise<void>
  /** One of Gitea's own commands, such as `admin user create …`. */
  command(...args: string[]): Promise<void>
}

/**
 * Prepares a Gitea in this folder, without starting it. `patience` is how long it waits for a word of a runner before it
 * fails its task; unset it is Gitea's own, so that no test that is silent for a while depends on how fast the machine is.
 */
export async function prepareGitea(
  built: BuiltGitea,
  folder: string,
  patience = ownPatience,
): Promise<GiteaServer> {
  const port = await freePort('127.0.0.1')
  const url = `http://127.0.0.1:${port}`
  const config = path.join(folder, 'app.ini')
  await mkdir(path.join(folder, 'home'), { recursive: true })
  await writeFile(config, settings(built, folder, port, patience), { mode: 0o600 })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: path.join(folder, 'home'),
    GITEA_WORK_DIR: folder,
    USER: 'git',
  }
  const logFile = path.join(folder, 'gitea.log')
  const launch = (args: readonly string[]): ChildProcess => {
    const log = openSync(logFile, 'a')
    const child = spawn(built.program, [...args, '-c', config], { env, stdio: ['ignore', log, log] })
    closeSync(log)
    return child
  }
  let web: ChildProcess | undefined
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    if (web === undefined || web.exitCode !== null || web.signalCode !== null) return
    const gone = once(web, 'exit')
    const late = setTimeout(() => web?.kill('SIGKILL'), stopWithinMs)
    web.kill(signal)
    await gone
    clearTimeout(late)
  }
  return {
    url,
    version: built.version,
    pid: () => web?.pid,
    async start() {
      web = launch(['web'])
      const deadline = performance.now() + readyWithinMs
      while (performance.now() < deadline) {
        if (web.exitCode !== null) break
        const answer = await fetch(`${url}/api/healthz`).catch(() => null)
        await answer?.body?.cancel()
        if (answer?.status === 200) return
        await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
      }
      throw new Error(`Gitea did not become ready:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`)
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    async command(...args) {
      const [code] = await once(launch(args), 'exit')
      if (code !== 0) throw new Error(`gitea ${args[0]}: ${(await readFile(logFile, 'utf8')).slice(-2_000)}`)
    },
  }
}

/** Everything at its default, except where a test would wait for minutes or reach beyond this machine. */
function settings(built: BuiltGitea, folder: string, port: number, patience: string): string {
  return `
APP_NAME = Gitea of a test
RUN_MODE = prod
WORK_PATH = ${folder}
RUN_USER =
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true

[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = http://127.0.0.1:${port}/
STATIC_ROOT_PATH = ${built.assets}
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false

[database]
DB_TYPE = sqlite3
PATH = ${folder}/gitea.db
SQLITE_JOURNAL_MODE = WAL

[repository]
ROOT = ${folder}/repositories
DEFAULT_BRANCH = main

[security]
INSTALL_LOCK = true
SECRET_KEY = ${'k'.repeat(64)}
PASSWORD_HASH_ALGO = pbkdf2

[service]
DISABLE_REGISTRATION = true

[session]
PROVIDER = file

[log]
MODE = console
LEVEL = warn

[mailer]
ENABLED = false

[webhook]
ALLOWED_HOST_LIST = loopback
DELIVER_TIMEOUT = 5

[indexer]
ISSUE_INDEXER_TYPE = db

[actions]
ENABLED = true
ZOMBIE_TASK_TIMEOUT = ${patience}
ENDLESS_TASK_TIMEOUT = 10m
ABANDONED_JOB_TIMEOUT = 1h

[cron.stop_zombie_tasks]
ENABLED = true
RUN_AT_START = true
SCHEDULE = @every 2s
NOTICE_ON_SUCCESS = false
`
}
