import type { Clock } from '../../../ports/clock.ts'
import type { Log } from '../../../ports/log.ts'
import type { ServerExit, ServerProcess } from './server-process.ts'

export interface Supervisor {
  pid(): number
  onExit(listener: (exit: ServerExit) => void): () => void
  stop(): Promise<void>
}

const backOffMsFirst = 100
/** A disk that somebody frees, or a port that somebody gives back, is noticed within this time. */
const backOffMsMax = 5_000
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
    let backOffMs = backOffMsFirst
    while (!stopping.signal.aborted) {
      const launchedAt = clock.now()
      const exit = await server.exited
      if (stopping.signal.aborted) return
      log.error({ ...exit, pid: server.pid }, 'the embedded Postgres ended by itself and is started again')
      for (const listener of listeners) listener(exit)
      if (clock.now() - launchedAt > provenAfterMs) backOffMs = backOffMsFirst
      backOffMs = await startAgain(backOffMs)
    }
    await server.stop()
  }

  async function startAgain(backOffMsNow: number): Promise<number> {
    for (let backOffMs = backOffMsNow; ; ) {
      await clock.sleep(backOffMs, stopping.signal).catch(() => {})
      backOffMs = Math.min(backOffMs * 2, backOffMsMax)
      if (stopping.signal.aborted) return backOffMs
      try {
        server = await relaunch()
        log.info({ pid: server.pid }, 'the embedded Postgres serves again')
        return backOffMs
      } catch (error) {
        log.error({ error, retryInMs: backOffMs }, 'the embedded Postgres does not start')
      }
    }
  }
}
