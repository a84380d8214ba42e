import type { ChildProcess } from 'node:child_process'
import type { HostContext, Remembered } from './context.ts'
import { identityOf, isAlive } from './proc/index.ts'
import type { StartRecord } from './records/index.ts'
import { settleEnd } from './settle.ts'

/** Runners of an earlier Holdfast are not our children: no event reports their end, so we poll. */
const pollMs = 200
/** An end that could not be settled (a full disk, a process that does not die) is tried again after this. */
const retryMs = 1_000

export interface Watch extends AsyncDisposable {
  /** Waits for the end of a supervisor that this process started. */
  follow(start: StartRecord, child: ChildProcess): void
  /** Waits for the end of a supervisor that an earlier Holdfast started. */
  adopt(runner: Remembered): void
  /** Settles the end of a runner whose supervisor is gone; harmless otherwise. */
  settle(name: string): Promise<void>
  /** Settling and releasing one runner never overlap: a late settling would bring back what was released. */
  runExclusive(name: string, work: () => Promise<void>): Promise<void>
  onEnd(callback: (name: string) => void): () => void
  /** Runs something that may outlast its caller; a failure is logged, and the disposal waits for it. */
  background(what: string, work: Promise<void>): void
  readonly signal: AbortSignal
}

/** Watches for every runner's end and settles it, so that each has an ending. */
export function createWatch(context: HostContext): Watch {
  const { clock, log, living } = context
  const adopted = new Set<string>()
  const lastByName = new Map<string, Promise<void>>()
  const callbacks = new Set<(name: string) => void>()
  const tasks = new Set<Promise<void>>()
  const abort = new AbortController()

  function background(what: string, work: Promise<void>): void {
    const task = work
      .catch((error: unknown) => {
        if (!abort.signal.aborted) log.error({ err: error }, `${what} failed`)
      })
      .finally(() => tasks.delete(task))
    tasks.add(task)
  }

  function runExclusive(name: string, work: () => Promise<void>): Promise<void> {
    const mine = (lastByName.get(name) ?? Promise.resolve()).then(work, work)
    lastByName.set(name, mine)
    const leave = (): void => {
      if (lastByName.get(name) === mine) lastByName.delete(name)
    }
    mine.then(leave, leave)
    return mine
  }

  const settle = (name: string): Promise<void> => runExclusive(name, () => settleEnd(context, name))

  async function ended(name: string): Promise<void> {
    for (;;) {
      if (abort.signal.aborted) return // the next Holdfast on this folder settles it
      try {
        await settle(name)
        break
      } catch (error) {
        log.error({ err: error, runner: name }, "a runner's end could not be settled; trying again")
        await clock.sleep(retryMs, abort.signal)
      }
    }
    living.delete(name)
    for (const callback of callbacks) callback(name)
  }

  /** A process that cannot be read now may live: the next poll looks again. */
  function mayLive(name: string): boolean {
    try {
      return isAlive(living.get(name)?.shim ?? null)
    } catch (error) {
      log.debug({ err: error, runner: name }, 'whether a runner lives cannot be read now')
      return true
    }
  }

  async function poll(): Promise<void> {
    while (!abort.signal.aborted) {
      for (const name of adopted) {
        if (mayLive(name)) continue
        adopted.delete(name)
        background(`settling the end of ${name}`, ended(name))
      }
      await clock.sleep(pollMs, abort.signal)
    }
  }
  background('watching adopted runners', poll())

  return {
    follow(start, child) {
      const shim = child.pid === undefined ? null : identityOf(child.pid)
      if (shim !== null) living.set(start.name, { start, shim })
      const exit = new Promise<string | null>((resolve) => {
        child.once('error', () => resolve(null)) // it was never there
        child.once('exit', (code, signal) => {
          if (code !== 0) log.warn({ runner: start.name, code, signal }, 'a supervisor did not end by itself')
          resolve(signal)
        })
      })
      context.shimExits.set(start.name, exit)
      child.once('exit', () => background(`settling the end of ${start.name}`, ended(start.name)))
    },
    adopt(runner) {
      living.set(runner.start.name, runner)
      adopted.add(runner.start.name)
    },
    settle,
    runExclusive,
    onEnd(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
    background,
    signal: abort.signal,
    async [Symbol.asyncDispose]() {
      abort.abort(new Error('the host of local runners is closed'))
      await Promise.all(tasks)
    },
  }
}
