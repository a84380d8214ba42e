import type { LifecycleDeps } from '../controllers/runner/lifecycle/index.ts'
import { reconcile } from '../controllers/runner/lifecycle/index.ts'
import type { Instant } from '../domain/time.ts'
import { createTurns } from '../loop/index.ts'
import type { Clock } from '../ports/clock.ts'

export interface DrainDeps extends Omit<LifecycleDeps, 'turns'> {
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
  const { ledger, host, clock, log, stopGraceMs: graceMs } = deps
  const { rows, unreadable } = await ledger.runners(0)
  for (const runner of rows) {
    if (runner.host !== host.id) continue
    if ((await ledger.fence(runner.id, shutdownReason, { source: 'lifecycle' })) !== 'fenced') continue
    await host.stop(runner.name, { reason: shutdownReason, graceMs, evenIfStarted: false })
  }
  const resolved = { ...deps, turns: createTurns() } // nothing is being started any more
  const deadline: Instant = clock.now() + deps.drainMs
  const isStrange = new Set(unreadable.map(({ name }) => name))
  // What only a newer version can read is left as it is: whoever starts next takes it over.
  const ours = async () => (await host.list()).filter(({ name }) => !isStrange.has(name))
  let hosted = await ours()
  if (hosted.length > 0)
    log.info({ runners: hosted.length, upToMs: deps.drainMs }, 'waiting for running jobs')
  while (hosted.length > 0 && clock.now() < deadline && !signal.aborted) {
    await clock.sleep(lookEveryMs, signal)
    await reconcile(resolved)
    hosted = await ours()
  }
  for (const { name } of hosted)
    await host.stop(name, { reason: shutdownReason, graceMs, evenIfStarted: true })
  await reconcile(resolved)
}
