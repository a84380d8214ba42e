import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { type Embedded, startEmbedded } from '../../src/adapters/embedded-postgres/index.ts'
import { identityOf } from '../../src/adapters/embedded-postgres/process-identity.ts'
import { clock, entropy, type RecordedLog, recordedLog } from './machine.ts'
import { temporaryFolder } from './temporary.ts'

const holderProgram = path.join(import.meta.dirname, 'embedded-child.ts')

export const isRoot = process.geteuid?.() === 0
/** For tests that are not about durability. */
const quick = { fsync: 'off' }

/** A data folder with a table `kept`, made once and then copied: initialising takes longer than most tests. */
export async function initialisedData(): Promise<{ copyTo(dataDir: string): void } & AsyncDisposable> {
  const folder = await temporaryFolder()
  const server = await start(folder.path)
  await ask(server.url, 'create table kept as select 7 as seven')
  await server.stop()
  return {
    copyTo(dataDir) {
      const { status, stderr } = spawnSync('cp', ['-a', path.join(folder.path, 'postgres'), dataDir], {
        encoding: 'utf8',
      })
      if (status !== 0) throw new Error(stderr)
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** Starts an embedded server in this process. */
export function start(
  dataDir: string,
  more: { log?: RecordedLog; binaries?: string } = {},
): Promise<Embedded> {
  const { log = recordedLog(), binaries } = more
  return startEmbedded({ dataDir, log, clock, entropy, settings: quick, ...(binaries && { binaries }) })
}

export interface Holder {
  readonly child: ChildProcess
  /** Its first message: its server, or its error. */
  readonly report: { url: string; port: number; pid: number; code?: string; message?: string }
  /** Lets it end in order. */
  end(): Promise<void>
  kill(): Promise<void>
}

/** Starts a process of its own that holds an embedded server, under another user where one is given. */
export async function hold(dataDir: string, user?: { uid: number; gid: number }): Promise<Holder> {
  const child = launchHolder(dataDir, user)
  let report: string | undefined
  for await (const line of createInterface({ input: child.stdout })) {
    report = line
    break
  }
  if (report === undefined) throw new Error(`the holder said nothing and ended with ${child.exitCode}`)
  return { child, report: JSON.parse(report), end: () => end(child), kill: () => kill(child) }
}

/** The same, without waiting for its first message. */
export function launchHolder(dataDir: string, user?: { uid: number; gid: number }) {
  return spawn(process.execPath, [holderProgram, dataDir, JSON.stringify(quick)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    ...user,
  })
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.stdin?.end()
  await exited
}

/** Runs one statement on a connection of its own. */
export async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Whether the process runs; a zombie that waits to be reaped does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return (await identityOf(pid)) !== undefined
}

/** A user who is not us and who can run our programs, for what a normal user meets. */
export function normalUser(): { uid: number; gid: number } | undefined {
  const [uid = 0, gid = 0] = ['-u', '-g'].map((what) =>
    Number(spawnSync('id', [what, 'nobody'], { encoding: 'utf8' }).stdout),
  )
  if (uid === 0 || gid === 0) return undefined
  const runs = spawnSync(process.execPath, ['--check', holderProgram], { uid, gid, cwd: '/' })
  return runs.status === 0 ? { uid, gid } : undefined
}
