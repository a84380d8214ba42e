import type { LifecycleDeps } from '../controllers/runner/lifecycle/index.ts'
import { reconcile } from '../controllers/runner/lifecycle/index.ts'
import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/clock.ts'

export interface DrainDeps extends LifecycleDeps {
  readonly clock: Clock
  /** How long running jobs may go on. */
  readonly drainMs: number
}

const lookEveryMs = 200
const shutdownReason = 'Holdfast was shut down'

/**
 * Leaves nothing behind at a clean end: idle runners are fenced and stopped, running jobs may finish for a
 * while, then their runners are stopped too, each with its death on record.
 */
export async function drain(deps: DrainDeps, signal: AbortSignal): Promise<void> {
  const { ledger, host, clock, log } = deps
  for (const runner of await ledger.runners(0)) {
    if (runner.host !== host.id) continue
    if ((await ledger.fence(runner.id, shutdownReason, { source: 'lifecycle' })) !== 'fenced') continue
    await host.stop(runner.name, shutdownReason, deps.stopGraceMs)
  }
  const deadline: Instant = clock.now() + deps.drainMs
  let hosted = await host.list()
  if (hosted.length > 0)
    log.info({ runners: hosted.length, upToMs: deps.drainMs }, 'waiting for running jobs')
  while (hosted.length > 0 && clock.now() < deadline && !signal.aborted) {
    await clock.sleep(lookEveryMs, signal)
    await reconcile(deps)
    hosted = await host.list()
  }
  for (const runner of hosted) await host.stop(runner.name, shutdownReason, deps.stopGraceMs)
  await reconcile(deps)
}
