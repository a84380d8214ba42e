import { type LifecycleDeps, reconcileAll } from '../../controllers/runner/lifecycle/index.ts'
import type { Instant } from '../../domain/time.ts'
import { createKeyedMutex } from '../../loop/index.ts'

const pollEveryMs = 200
const shutdownReason = 'Holdfast was shut down'

/**
 * Leaves no runner behind at a clean shutdown: idle runners are fenced and stopped at once; running jobs get `drainMs` to
 * finish, then their runners are stopped too. Each runner's death is on record.
 */
export async function drain(
  deps: Omit<LifecycleDeps, 'runnerMutex'>,
  drainMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { ledger, host, clock, log, stopGraceMs: graceMs } = deps
  const { rows, unreadable } = await ledger.runners(0)
  for (const runner of rows) {
    if (runner.host !== host.id) continue
    if ((await ledger.fence(runner.id, shutdownReason, { source: 'lifecycle' })) !== 'fenced') continue
    await host.stop(runner.name, { reason: shutdownReason, graceMs, evenIfStarted: false })
  }
  const lifecycle: LifecycleDeps = { ...deps, runnerMutex: createKeyedMutex() } // no runner is being started any more
  const deadline: Instant = clock.now() + drainMs
  const isUnreadable = new Set(unreadable.map(({ name }) => name))
  // A runner whose row only a newer version can read is left alone: the next start of that version takes it over.
  const listOurs = async () => (await host.list()).filter(({ name }) => !isUnreadable.has(name))
  let hosted = await listOurs()
  if (hosted.length > 0) log.info({ runners: hosted.length, upToMs: drainMs }, 'waiting for running jobs')
  while (hosted.length > 0 && clock.now() < deadline && !signal.aborted) {
    await clock.sleep(pollEveryMs, signal)
    await reconcileAll(lifecycle)
    hosted = await listOurs()
  }
  for (const { name } of hosted)
    await host.stop(name, { reason: shutdownReason, graceMs, evenIfStarted: true })
  await reconcileAll(lifecycle)
}
