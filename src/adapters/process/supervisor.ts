import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../../ports/clock.ts'
import type { HostContext } from './context.ts'
import { HOST_MARKER, SHIM_MARKER } from './proc/index.ts'

/**
 * The supervisor keeps 80 KiB of output and two minutes of samples, and each runner has one. Measured: 54 MB
 * resident, 13 MB of it its own, started in 70 ms; without the cache of compiled sources 77 MB, 27 MB and 200 ms.
 */
const NODE_FLAGS = [
  '--max-old-space-size=32',
  '--max-semi-space-size=1',
  '--disable-warning=ExperimentalWarning',
]
/** Starting a program takes some 50 ms; a machine that swaps needs longer. */
const READY_DEADLINE_MS = 30_000
const MAIN = fileURLToPath(new URL('./shim/main.ts', import.meta.url))

/** Starts the supervisor of a runner in a session of its own; it outlives this process. */
export function spawnSupervisor(
  name: string,
  folder: string,
  { folder: hostFolder, hostId }: HostContext,
): ChildProcess {
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, folder, name], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '/usr/bin:/bin',
      [SHIM_MARKER]: name,
      [HOST_MARKER]: hostId,
      NODE_COMPILE_CACHE: path.join(hostFolder, '.compile-cache'),
    },
  })
  child.unref()
  return child
}

/** Resolves when the supervisor has said that the runner was started, or has ended; rejects if there is none. */
export function supervisorReady(child: ChildProcess, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void): void => {
      cancel()
      signal.removeEventListener('abort', abort)
      child.stdout?.destroy()
      then()
    }
    const abort = (): void => settle(() => reject(signal.reason))
    const cancel = clock.after(READY_DEADLINE_MS, () =>
      settle(() => reject(new Error(`its supervisor said nothing within ${READY_DEADLINE_MS} ms`))),
    )
    child.once('error', (error) => settle(() => reject(error)))
    child.stdout?.once('data', () => settle(resolve))
    child.stdout?.once('end', () => settle(resolve))
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
  })
}
