import { spawn } from 'node:child_process'

/** The account that a child process runs under. */
export interface Account {
  readonly uid: number
  readonly gid: number
  readonly name: string
}

export interface Ran {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** stdout and stderr in order of arrival, newest kept. */
  readonly output: string
}

export interface RunOptions {
  readonly account?: Account | undefined
  readonly cwd?: string
  readonly input?: string
  readonly timeoutMs?: number
}

const outputCharsMax = 64 * 1024
const timeoutMsDefault = 10_000

/** Runs a program to its end, bounded in time and output; a program that is not there is exit code 127. */
export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { account, cwd = '/', input = '', timeoutMs = timeoutMsDefault } = options
  return new Promise((resolve) => {
    let output = ''
    const collect = (chunk: string) => {
      output = (output + chunk).slice(-outputCharsMax)
    }
    const child = spawn(file, args, {
      cwd,
      env: childEnvironment(),
      ...identity(account),
    })
    child.stdout.setEncoding('utf8').on('data', collect)
    child.stderr.setEncoding('utf8').on('data', collect)
    child.stdin.on('error', () => {}) // it ended without reading; its exit code says why
    child.stdin.end(input)
    // Not spawn's own timeout: where the program cannot be started, that one is not cleared and delays our end.
    const overdue = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
    const finish = (ran: Ran) => {
      clearTimeout(overdue)
      resolve(ran)
    }
    child.once('error', (error) => finish({ code: 127, signal: null, output: `${output}${error.message}` }))
    child.once('close', (code, signal) => finish({ code, signal, output }))
  })
}

/** Nothing of ours leaks into Postgres: PGDATA, PGPORT or a locale would change what it does. */
export function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' }
}

/** The part of spawn's options that changes the user. */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid }
}
