import type { DeathRecord } from '../../../domain/death/index.ts'
import { isError } from '../../../domain/errors/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { bounded, logDeath, sealDeath } from '../seal/index.ts'
import { correctDeath } from './correct-death.ts'
import { tellDeath } from './death-events.ts'
import type { LifecycleDeps } from './deps.ts'
import type { Memory } from './memory.ts'
import { noteVersion } from './note-version.ts'
import { readRecord } from './read-record.ts'

export const cause: Cause = { source: 'lifecycle' }
/** A row that is written only so that its end can be: nothing looks at it in between. */
const adoptedDeadlineMs = 10 * 60_000

/** Seals how a runner ended, once, and only then removes what is left of it (I5); else says when to look again. */
export async function sealAndRelease(
  hosted: HostedRunner,
  deps: LifecycleDeps,
  memory: Memory,
): Promise<'over' | number> {
  const { ledger, host } = deps
  // One whose row is in the archive by now has its record: its node was silent for long, and is back.
  const known = (await ledger.findRunner(hosted.name)) ?? (await archived(hosted.name, deps))
  if (known === null || isLive(known)) {
    const record = await readRecord(hosted, known, deps, memory)
    if (typeof record === 'number') return record
    const runner = known ?? (await adopt(hosted, record, deps))
    if (runner !== null) await seal(runner, record, deps)
  } else if (known.reason === 'vanished') {
    const record = await readRecord(hosted, known, deps, memory)
    if (typeof record === 'number') return record
    await correctDeath(known, { kind: 'ended', record }, deps)
  }
  await host.release(hosted.name)
  memory.forget(hosted.name)
  return 'over'
}

async function archived(name: string, { ledger }: LifecycleDeps): Promise<Runner | null> {
  return (await ledger.runnerFile(name))?.runner ?? null
}

/** Seals a record that is there already; also for what is given up. */
export async function seal(runner: Runner, record: DeathRecord, deps: LifecycleDeps): Promise<void> {
  const sealed = await sealDeath({ runner, record, reason: record.class }, cause, deps)
  if (sealed !== 'sealed') return
  tellDeath(runner, record, deps)
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
