import type { DeathRecord } from '../../../domain/death/index.ts'
import { isError } from '../../../domain/errors/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { bounded, logDeath, sealDeath } from '../seal/index.ts'
import { correctDeath } from './correct-death.ts'
import { recordDeathEvents } from './death-events.ts'
import type { LifecycleDeps } from './deps.ts'
import type { LifecycleState } from './lifecycle-state.ts'
import { noteVersion } from './note-version.ts'
import { readRecord } from './read-record.ts'

const cause: Cause = { source: 'lifecycle' }
/** The deadline of a row that is written only for its end: nothing reads it in between. */
const adoptedDeadlineMs = 10 * 60_000

/** Seals how a runner ended, once, and only then removes the rest of it (I5); otherwise returns when to retry. */
export async function sealAndRelease(
  hosted: HostedRunner,
  deps: LifecycleDeps,
  state: LifecycleState,
): Promise<'over' | number> {
  const { ledger, host } = deps
  // A runner whose row is archived has its record: its node was silent for long, and is back.
  const known = (await ledger.findRunner(hosted.name)) ?? (await archived(hosted.name, deps))
  if (known === null || isLive(known)) {
    const record = await readRecord(hosted, known, deps, state)
    if (typeof record === 'number') return record
    const runner = known ?? (await adopt(hosted, record, deps))
    if (runner !== null) await seal(runner, record, deps)
  } else if (known.reason === 'vanished') {
    const record = await readRecord(hosted, known, deps, state)
    if (typeof record === 'number') return record
    await correctDeath(known, { kind: 'ended', record }, deps)
  }
  await host.release(hosted.name)
  state.forget(hosted.name)
  return 'over'
}

async function archived(name: string, { ledger }: LifecycleDeps): Promise<Runner | null> {
  return (await ledger.runnerFile(name))?.runner ?? null
}

/** Seals an existing record; also for runners that are given up. */
export async function seal(runner: Runner, record: DeathRecord, deps: LifecycleDeps): Promise<void> {
  const sealed = await sealDeath({ runner, record, reason: record.class }, cause, deps)
  if (sealed !== 'sealed') return
  recordDeathEvents(runner, record, deps)
  noteVersion(runner, record, deps)
}

/** A runner that the ledger never knew gets its one record too; null where not even its pool is known. */
export async function adopt(
  { name, pool }: HostedRunner,
  record: DeathRecord,
  { ledger, host, log }: LifecycleDeps,
): Promise<Runner | null> {
  const row = { name, pool, host: host.id, identityHash: null, bootDeadlineMs: adoptedDeadlineMs }
  try {
    return await ledger.enrol(row, cause)
  } catch (error) {
    if (!isError(error, 'E_POOL_UNKNOWN')) throw error
    log.error(
      { runner: name, pool, class: record.class },
      'a runner of a pool that was never known here ended',
    )
    const ids = { jobId: null, attemptId: null, runnerId: null }
    const facts = { runner: name, pool, record: bounded(record) }
    await ledger.recordDecision({
      rule: 'orphaned-stamped-pod',
      ...ids,
      facts,
      actions: [{ kind: 'release' }],
    })
    logDeath({ name, pool }, record, log)
    return null
  }
}
