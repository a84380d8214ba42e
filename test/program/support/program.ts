import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Place } from './place.ts'

/** How a process ended, and what it said until then. */
export interface Ended {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

export interface LaunchOptions {
  /** The command that runs instead of the command line of this tree; the arguments follow. */
  readonly command?: readonly string[]
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** A pipe that `type` writes to; else it has no input. */
  readonly input?: 'pipe'
  /** The program is killed after this; two minutes by default. */
  readonly lifeMaxMs?: number
}

/** A process of the program, whatever became of it. Going from it ends it. */
export interface Launched extends AsyncDisposable {
  readonly pid: number
  readonly ended: Promise<Ended>
  alive(): boolean
  /** Its output on stdout so far. */
  written(): string
  /** Resolves when its output has it; rejects when it ends without. */
  says(pattern: RegExp): Promise<void>
  kill(signal: NodeJS.Signals): void
  /** Writes to its input, where it has one. */
  type(keys: string): void
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>
}

export const cliCommand: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL('../../../src/main/cli.ts', import.meta.url)),
]
const lifeMaxMs = 120_000
/** From a polite end to a kill. */
const politeMs = 20_000

/** Starts the program as a process of its own, with nothing of our environment. */
export function launch(place: Place, options: LaunchOptions): Launched {
  const { command = cliCommand, args, env, input = 'ignore' } = options
  const [file = '', ...first] = command
  const child = spawn(file, [...first, ...args], {
    cwd: '/',
    stdio: [input, 'pipe', 'pipe'],
    env: { ...place.env, ...env },
    ...place.user,
  })
  const output = { out: '', err: '' }
  const listeners = new Set<() => void>()
  for (const [name, stream] of [['out', child.stdout] as const, ['err', child.stderr] as const]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
      for (const listener of listeners) listener()
    })
  }
  const overdue = setTimeout(() => child.kill('SIGKILL'), options.lifeMaxMs ?? lifeMaxMs)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(overdue)
      resolve({ code, signal, ...output })
    })
  })
  const alive = () => child.exitCode === null && child.signalCode === null
  const end = (signal: NodeJS.Signals): Promise<Ended> => {
    child.kill(signal)
    return ended
  }
  return {
    pid: child.pid ?? 0,
    ended,
    alive,
    written: () => output.out,
    says: (pattern) => saying(pattern, output, listeners, ended),
    kill: (signal) => void child.kill(signal),
    type: (keys) => void child.stdin?.write(keys),
    end,
    async [Symbol.asyncDispose]() {
      if (alive()) await endSomehow(child, end)
      await ended.catch(() => undefined)
    },
  }
}

/** Runs one command of the program to its end. */
export async function holdfast(place: Place, ...args: readonly string[]): Promise<Ended> {
  return launch(place, { args }).ended
}

/** The same where the answer is one JSON document; fails where it is none. */
export async function holdfastJson<T = Record<string, unknown>>(
  place: Place,
  ...args: readonly string[]
): Promise<T> {
  const { out, err, code } = await holdfast(place, ...args, '--json')
  try {
    return JSON.parse(out) as T
  } catch {
    throw new Error(`${args.join(' ')} ended with ${code} and gave no JSON: ${out}${err}`)
  }
}

function saying(
  pattern: RegExp,
  output: { readonly out: string; readonly err: string },
  listeners: Set<() => void>,
  ended: Promise<Ended>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (!pattern.test(output.out) && !pattern.test(output.err)) return
      listeners.delete(look)
      resolve()
    }
    listeners.add(look)
    look()
    ended.then(() => reject(new Error(`it ended without ${pattern}: ${output.out}${output.err}`)), reject)
  })
}

async function endSomehow(
  child: ChildProcess,
  end: (signal: NodeJS.Signals) => Promise<Ended>,
): Promise<void> {
  const impatient = setTimeout(() => child.kill('SIGKILL'), politeMs)
  await end('SIGTERM').catch(() => undefined)
  clearTimeout(impatient)
}
