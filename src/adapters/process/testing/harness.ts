import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ending } from '../../../domain/death/index.ts'
import type { Log, LogFields } from '../../../ports/log.ts'
import type { StopOrder } from '../../../ports/runner-host.ts'
import { createProcessHost, type Limits, type ProcessHost } from '../index.ts'
import { type ProcessStat, statOf } from '../proc/index.ts'
import { findMarked } from '../proc/strays.ts'
import { machineClock } from '../shim/machine-clock.ts'

export const clock = machineClock()

export interface Line {
  readonly level: string
  readonly fields: LogFields
  readonly message: string
}

/** A log that keeps its lines. */
export function keepingLog(): Log & { readonly lines: Line[] } {
  const lines: Line[] = []
  const at = (level: string) => (fields: LogFields, message: string) =>
    void lines.push({ level, fields, message })
  const log = {
    lines,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => log,
  }
  return log
}

export interface Bench extends AsyncDisposable {
  readonly folder: string
  readonly log: ReturnType<typeof keepingLog>
  host: ProcessHost
  /** Starts a shell script as a runner. */
  run(name: string, script: string): Promise<void>
  /** Waits for the end of a runner and returns its ending. */
  ended(name: string): Promise<Ending>
  /** Disposes of the host and makes a new one on the same folder, as a restart of Holdfast does. */
  reopen(): Promise<void>
}

/** A host on a folder of its own; closing it kills every process that a test left. */
export async function openBench(limits: Limits = {}): Promise<Bench> {
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'holdfast-process-')))
  const log = keepingLog()
  let script = 'true'
  const shape = () => ({ command: ['/bin/sh', '-c', script], env: { PATH: process.env.PATH ?? '' }, limits })
  const open = () => createProcessHost({ id: 'host-1', folder, clock, log, shape })
  const bench: Bench = {
    folder,
    log,
    host: await open(),
    async run(name, text) {
      script = text
      await bench.host.start(
        { name, pool: 'pool', secret: `secret-of-${name}`, avoidNodes: [] },
        AbortSignal.timeout(20_000),
      )
    },
    ended: (name) => endingOf(bench.host, name),
    async reopen() {
      await bench.host[Symbol.asyncDispose]()
      bench.host = await open()
    },
    async [Symbol.asyncDispose]() {
      for (const { name } of await bench.host.list()) {
        await bench.host.stop(name, stopOrder('the test is over', 0))
        await bench.host.release(name)
      }
      await bench.host[Symbol.asyncDispose]()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return bench
}

/** An order that holds whatever the runner does. */
export function stopOrder(reason: string, graceMs: number): StopOrder {
  return { reason, graceMs, evenIfStarted: true }
}

/** Waits for the host's notification of an end, and polls as well, as its contract asks of callers. */
export async function endingOf(host: ProcessHost, name: string): Promise<Ending> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const forget = host.onChange((ended) => {
    if (ended === name) resolve()
  })
  try {
    const before = await host.ending(name)
    if (before !== null) return before
    await promise
    const ending = await host.ending(name)
    if (ending === null) throw new Error(`${name} was reported as ended and has no ending`)
    return ending
  } finally {
    forget()
  }
}

/** Polls until a condition holds; throws with its description when it never does. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | false> | T | null | false,
): Promise<T> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const found = await look()
    if (found !== null && found !== false) return found
    if (Date.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await sleep(10)
  }
}

/** Every live process whose command line holds this text. */
export async function processesWith(text: string): Promise<readonly ProcessStat[]> {
  const { readFile } = await import('node:fs/promises')
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const found = await Promise.all(
    pids.map(async (pid) => {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return line.includes(text) ? statOf(Number(pid)) : null
    }),
  )
  return found.filter((stat) => stat !== null)
}

export { findMarked }
