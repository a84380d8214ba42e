import { classifyDeath, type DeathRecord, type Ending, plainVerdict } from '../../../domain/death/index.ts'
import { isError } from '../../../domain/errors/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { tellDeath } from './death-events.ts'
import type { LifecycleDeps } from './deps.ts'
import type { Memory } from './memory.ts'

export const cause: Cause = { source: 'lifecycle' }
/** So long its end may be unreadable; then it is sealed as far as it is known. Nothing here waits for the forge. */
const evidenceDeadlineMs = 60_000
/** A row that is written only so that its end can be: nothing looks at it in between. */
const adoptedDeadlineMs = 10 * 60_000

/** Seals how a runner ended, once, and only then removes what is left of it (I5). */
export async function sealAndRelease(
  hosted: HostedRunner,
  deps: LifecycleDeps,
  memory: Memory,
): Promise<'over'> {
  const { ledger, host } = deps
  const known = await ledger.findRunner(hosted.name)
  if (known === null || isLive(known)) {
    const record = await readRecord(hosted.name, known, deps, memory)
    const runner = known ?? (await adopt(hosted, record, deps))
    if (runner !== null) await seal(runner, record, deps)
  }
  await host.release(hosted.name)
  memory.forget(hosted.name)
  return 'over'
}

/** Seals a record that is there already; also for what is given up. */
export async function seal(runner: Runner, record: DeathRecord, deps: LifecycleDeps): Promise<void> {
  const sealed = await deps.ledger.sealDeath(runner.id, record, record.class, cause)
  if (sealed === 'already') return
  deps.metrics.count('holdfast_deaths_total', { class: record.class })
  deps.log.info(
    {
      runner: runner.name,
      pool: runner.pool,
      exitCode: record.ending?.exitCode,
      signal: record.ending?.signal,
      class: record.class,
      outcome: record.outcome,
    },
    'runner ended',
  )
  tellDeath(runner, record, deps)
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
    const facts = { runner: name, pool, record }
    await ledger.recordDecision({
      rule: 'orphaned-stamped-pod',
      ...ids,
      facts,
      actions: [{ kind: 'release' }],
    })
    return null
  }
}

async function readRecord(
  name: string,
  runner: Runner | null,
  deps: LifecycleDeps,
  memory: Memory,
): Promise<DeathRecord> {
  try {
    const record = classifyDeath(withReason(await deps.host.ending(name), runner))
    memory.unreadableSince.delete(name)
    return record
  } catch (error) {
    const now = deps.clock.now()
    const since = memory.unreadableSince.get(name) ?? now
    memory.unreadableSince.set(name, since)
    if (now < since + evidenceDeadlineMs) throw error
    const why = error instanceof Error ? error.message : String(error)
    const because = [`How it ended could not be read in ${evidenceDeadlineMs / 1000} s: ${why}`]
    const verdict = plainVerdict('unreadable', { class: 'unknown', confidence: 'unknown', because })
    return { outcome: 'incomplete', ...verdict, ending: null, job: null, ring: null }
  }
}

/** Who asked a pod to go may be known to the ledger alone: the fence was written first, and outlives a restart. */
function withReason(ending: Ending | null, runner: Runner | null): Ending | null {
  if (ending === null || ending.stopRequestedBy !== null || runner?.state !== 'fenced') return ending
  return ending.pod?.deletedAt == null ? ending : { ...ending, stopRequestedBy: runner.reason }
}
