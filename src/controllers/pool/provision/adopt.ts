import type { Runner } from '../../../domain/runner/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { KeyedMutex } from '../../../loop/index.ts'
import type { Cause, DeathLedger, LedgerClock, RunnerLedger, RunnerReader } from '../../../ports/ledger.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import { type SealDeps, sealDeath } from '../../runner/seal/index.ts'
import { neverStarted } from './never-started.ts'
import type { PendingStart } from './start-queue.ts'

export interface AdoptDeps extends SealDeps {
  readonly ledger: LedgerClock & RunnerLedger & RunnerReader & DeathLedger
  readonly host: RunnerHost
  readonly runnerMutex: KeyedMutex
}

const cause: Cause = { source: 'scale' }
/** How long the starts of an earlier process are retried, unless their boot deadline is sooner. */
const adoptedForMs = 60_000

/**
 * Finds runners that an earlier process enrolled and may not have started. Where a runner proves its own identity, the
 * start is retried. Where it needs a secret, which died with that process, a runner that does not exist is ended at once:
 * its job would wait for the boot deadline otherwise.
 */
export async function adopt(deps: AdoptDeps, now: Instant): Promise<readonly PendingStart[]> {
  const { ledger, host } = deps
  const { rows } = await ledger.runners(0, { host: host.id, states: ['booting'] })
  if (rows.length === 0) return []
  const ledgerNow = await ledger.now()
  const present = new Set((await host.list()).map(({ name }) => name))
  const starts: PendingStart[] = []
  for (const runner of rows) {
    if (present.has(runner.name)) continue
    const deadline = now + Math.min(adoptedForMs, runner.checkAt - ledgerNow)
    if (runner.identityHash === null)
      starts.push({ runner, secret: '', deadline, freshUntil: now, mayExist: true })
    else await deps.runnerMutex.run(runner.name, () => sealUnlessThere(runner, deps, now))
  }
  return starts
}

async function sealUnlessThere(runner: Runner, deps: AdoptDeps, now: Instant): Promise<void> {
  if ((await deps.host.find(runner.name, seenThrough)) !== null) return
  await sealDeath({ runner, record: neverStarted(lost, now), reason: 'never-started' }, cause, deps)
}

const lost = 'Holdfast ended between enrolling it and starting it.'
const seenThrough = new AbortController().signal
