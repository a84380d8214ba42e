import { classifyDeath } from '../../../domain/death/index.ts'
import { isLive } from '../../../domain/runner/index.ts'
import { done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Cause, Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { HostedRunner, RunnerHost } from '../../../ports/runner-host.ts'

export interface LifecycleDeps {
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly log: Log
  readonly metrics: Metrics
  readonly stopGraceMs: number
}

const sweepMs = 2_000
const cause: Cause = { source: 'lifecycle' }

/**
 * The one owner of report-then-remove: a runner that ended is sealed in the ledger, and only then is what is
 * left of it released. Runners that one side knows and the other does not are resolved here too.
 */
export function lifecycleLoop(deps: LifecycleDeps): Loop {
  return {
    name: 'runner-lifecycle',
    sweepMs,
    wokenBy: () => false,
    listen: (ring) => deps.host.onEnd(ring),
    pass: () => reconcile(deps),
  }
}

export async function reconcile(deps: LifecycleDeps): Promise<Outcome> {
  const { ledger, host } = deps
  // The ledger first: a runner is enrolled before it is started, so whatever the host has later is known or a stray.
  const live = (await ledger.runners(0)).filter((runner) => isLive(runner) && runner.host === host.id)
  const hosted = await host.list()
  for (const runner of hosted) {
    if (runner.state === 'exited') await sealAndRelease(runner, deps)
    else if (!live.some((known) => known.name === runner.name)) await endStray(runner, deps)
  }
  const present = new Set(hosted.map((runner) => runner.name))
  for (const runner of live) {
    if (!present.has(runner.name) && runner.state !== 'booting') {
      await ledger.postpone({ kind: 'runner', id: runner.id }, 0) // `vanished-runner` decides
    }
  }
  return done
}

async function sealAndRelease(hosted: HostedRunner, deps: LifecycleDeps): Promise<void> {
  const { ledger, host, log, metrics } = deps
  const runner = await ledger.findRunner(hosted.name)
  if (runner !== null && isLive(runner)) {
    const record = classifyDeath(await host.ending(hosted.name))
    const sealed = await ledger.sealDeath(runner.id, record, record.class, cause)
    if (sealed === 'sealed') metrics.count('holdfast_deaths_total', { class: record.class })
    log.info(
      {
        runner: runner.name,
        pool: runner.pool,
        exitCode: record.ending?.exitCode,
        signal: record.ending?.signal,
        class: record.class,
      },
      'runner ended',
    )
  }
  await host.release(hosted.name)
}

/** A process that the ledger does not count on: it ended there, or its row was never written. */
async function endStray(hosted: HostedRunner, deps: LifecycleDeps): Promise<void> {
  const known = await deps.ledger.findRunner(hosted.name)
  if (known !== null && isLive(known)) return // enrolled between the two readings
  deps.log.warn({ runner: hosted.name }, 'a runner that the ledger does not count on is ended')
  await deps.host.stop(hosted.name, 'the ledger does not count on it', deps.stopGraceMs)
}
