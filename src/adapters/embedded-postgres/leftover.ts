import { rm } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { systemCodeOf } from '../../domain/reason.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import { readIfThere } from './files.ts'
import { postgresProcessesIn } from './process-identity.ts'

/** A fast shutdown writes a checkpoint; an immediate one only has to die. */
const patience = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const
const pollMs = 20

/**
 * Ends what a killed Holdfast left running on this folder, then a pid file that would stop the next server.
 * Stopping rather than adopting: the sessions of the dead Holdfast end with their locks and open
 * transactions, and the new server is our child, so that its end and its last words reach us.
 */
export async function clearLeftovers(dataFolder: string, clock: Clock, log: Log): Promise<void> {
  const pidFile = path.join(dataFolder, 'postmaster.pid')
  const found = await readIfThere(pidFile)
  const recorded = found === undefined ? undefined : Number.parseInt(found, 10)
  const running = () => postgresProcessesIn(dataFolder, recorded)

  if ((await running()).length > 0) {
    log.warn({ pid: recorded ?? 'unknown' }, 'stopping a Postgres that an earlier Holdfast left running')
    await end(running, recorded, dataFolder, clock)
  }
  // A dead pid Postgres clears itself. One that another program has now, or a zombie that nobody reaps (its
  // parent was killed), or no pid at all, it takes for a running server.
  const misleading = recorded === undefined ? false : !(recorded > 0) || takesSignals(recorded)
  if (misleading) {
    log.warn({ pidFile }, 'removing a stale postmaster.pid: its process is not this server')
    await rm(pidFile, { force: true })
  }
}

async function end(
  running: () => Promise<number[]>,
  postmaster: number | undefined,
  dataFolder: string,
  clock: Clock,
): Promise<void> {
  for (const { signal, waitMs } of patience) {
    const pids = await running()
    // Only the first of a live server takes a fast shutdown for all of them; the others would just lose a query.
    const targets = signal === 'SIGINT' && pids.includes(postmaster ?? -1) ? [postmaster ?? -1] : pids
    for (const pid of targets) signalQuietly(pid, signal)
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += pollMs) {
      if ((await running()).length === 0) return
      await clock.sleep(pollMs)
    }
  }
  const reason = `processes ${(await running()).join(', ')} still use ${dataFolder} and do not end`
  throw new HoldfastError('E_EMBEDDED_FAILED', { step: 'stop a left-over server', reason, lines: [] })
}

function takesSignals(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCodeOf(error) === 'EPERM'
  }
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // ended meanwhile; if it was not ours to end, the wait below says so
  }
}
