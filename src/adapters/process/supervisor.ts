import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../ports/clock.ts'
import type { HostContext } from './context.ts'
import { hostMarker, shimMarker } from './proc/index.ts'

/**
 * The supervisor keeps 80 KiB of output and two minutes of samples, and each runner has one. Measured: 54 MB
 * resident, 13 MB of it its own, started in 70 ms; without the cache of compiled sources 77 MB, 27 MB and 200 ms.
 */
const nodeFlags = [
  '--max-old-space-size=32',
  '--max-semi-space-size=1',
  '--disable-warning=ExperimentalWarning',
]
/** Starting a program takes some 50 ms; a machine that swaps needs longer. */
const readyDeadlineMs = 30_000
const main = fileURLToPath(new URL('./shim/main.ts', import.meta.url))

/** Starts the supervisor of a runner in a session of its own; it outlives this process. */
export function spawnSupervisor(
  name: string,
  folder: string,
  { folder: hostFolder, hostId }: HostContext,
): ChildProcess {
  const child = spawn(process.execPath, [...nodeFlags, main, folder, name], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      [shimMarker]: name,
      [hostMarker]: hostId,
      NODE_COMPILE_CACHE: path.join(hostFolder, '.compile-cache'),
    },
  })
  child.unref()
  return child
}

/** Resolves when the supervisor has reported the start of the runner, or has ended; rejects if it could not be started. */
export function supervisorReady(child: ChildProcess, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void): void => {
      cancel()
      signal.removeEventListener('abort', abort)
      child.stdout?.destroy()
      then()
    }
    const abort = (): void => settle(() => reject(signal.reason))
    const cancel = clock.after(readyDeadlineMs, () =>
      settle(() => reject(new Error(`its supervisor did not report a start within ${readyDeadlineMs} ms`))),
    )
    child.once('error', (error) => settle(() => reject(error)))
    child.stdout?.once('data', () => settle(resolve))
    child.stdout?.once('end', () => settle(resolve))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
}
