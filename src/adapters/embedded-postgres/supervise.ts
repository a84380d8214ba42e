import { type BackOff, backOffMs } from '../../domain/back-off/index.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { ServerExit, ServerProcess } from './server-process.ts'

export interface Supervisor {
  pid(): number
  onExit(listener: (exit: ServerExit) => void): () => void
  stop(): Promise<void>
}

/** Its cap: a disk that somebody frees, or a port that somebody gives back, is noticed within this time. */
const startBackOff: BackOff = { baseMs: 100, capMs: 5_000 }
const provenAfterMs = 60_000

/** Starts the server again whenever it ends without being asked to, for as long as it takes; never silently. */
export function supervise(
  first: ServerProcess,
  relaunch: () => Promise<ServerProcess>,
  clock: Clock,
  log: Log,
): Supervisor {
  const listeners = new Set<(exit: ServerExit) => void>()
  const stopping = new AbortController()
  let server = first
  const watching = watch()

  return {
    pid: () => server.pid,
    onExit(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async stop() {
      stopping.abort()
      await server.stop()
      await watching
    },
  }

  async function watch(): Promise<void> {
    let starts = 0
    while (!stopping.signal.aborted) {
      const launchedAt = clock.now()
      const exit = await server.exited
      if (stopping.signal.aborted) return
      log.error({ ...exit, pid: server.pid }, 'the embedded Postgres ended by itself and is started again')
      for (const listener of listeners) listener(exit)
      if (clock.now() - launchedAt > provenAfterMs) starts = 0
      starts = await startAgain(starts)
    }
    await server.stop()
  }

  /** Gives how many starts were tried since the server last proved itself. */
  async function startAgain(startsBefore: number): Promise<number> {
    for (let starts = startsBefore + 1; ; starts += 1) {
      await clock.sleep(backOffMs(startBackOff, starts), stopping.signal).catch(() => {})
      if (stopping.signal.aborted) return starts
      try {
        server = await relaunch()
        log.info({ pid: server.pid }, 'the embedded Postgres serves again')
        return starts
      } catch (error) {
        const retryInMs = backOffMs(startBackOff, starts + 1)
        log.error({ error, retryInMs }, 'the embedded Postgres does not start')
      }
    }
  }
}
