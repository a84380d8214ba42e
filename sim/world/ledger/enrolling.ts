import type { DeathRecord } from '../../../src/domain/death/index.ts'
import { HoldfastError } from '../../../src/domain/errors/index.ts'
import type { Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import { isOlderToken } from '../../../src/ports/leadership.ts'
import {
  type Cause,
  type Enrolled,
  type FailedStart,
  failedStartsMax,
  type Leader,
  type NewRunner,
} from '../../../src/ports/ledger.ts'
import { ensureHost } from './hosts.ts'
import { find, type State } from './state.ts'
import { appendTimeline, type Tx } from './transaction.ts'
import { mustRead } from './unreadable.ts'

/** Runners that are about to be started, of pools that there are; the same name gives the same row. */
export function enrolAll(
  tx: Tx,
  runners: readonly NewRunner[],
  cause: Cause,
  leader: Leader | null,
): Enrolled {
  if (leader !== null && !mayLead(tx, leader)) return { kind: 'deposed' }
  poolsAreKnown(tx, runners)
  const rows = runners.flatMap((runner) => {
    const isRetired = !tx.state.pools.has(runner.pool)
    return (isRetired ? rowOf(tx, runner) : enrol(tx, runner, cause)) ?? []
  })
  return { kind: 'enrolled', runners: rows }
}

/** One runner, also of a retired pool. */
export function enrolOne(tx: Tx, runner: NewRunner, cause: Cause): Runner {
  poolsAreKnown(tx, [runner])
  return enrol(tx, runner, cause)
}

function poolsAreKnown({ state }: Tx, runners: readonly NewRunner[]): void {
  const unknown = runners.map(({ pool }) => pool).filter((pool) => !state.everyPool.has(pool))
  if (unknown.length > 0) throw new HoldfastError('E_POOL_UNKNOWN', { pools: [...new Set(unknown)] })
}

function rowOf({ state }: Tx, { name }: NewRunner): Runner | null {
  const runner = find(state.runners, (other) => other.name === name)
  mustRead(state, { runner })
  return runner
}

/** Whether this leader may write; its token is kept. */
export function mayLead(tx: Tx, { lease, token }: Leader): boolean {
  if (!/^\d{1,100}$/.test(token)) {
    throw new HoldfastError('E_BUG', {
      what: `the lease ${lease} has the token "${token}", no decimal number`,
    })
  }
  const greatest = tx.state.leases.get(lease)
  if (greatest !== undefined && isOlderToken(token, greatest)) return false
  tx.state.leases.set(lease, token)
  return true
}

function enrol(tx: Tx, runner: NewRunner, cause: Cause): Runner {
  const { state, now } = tx
  const there = rowOf(tx, runner)
  if (there !== null) return there
  ensureHost(tx, runner.host)
  const { bootDeadlineMs, ...given } = runner
  const row: Runner = {
    id: tx.nextId('runners'),
    ...given,
    podUid: null,
    state: 'booting',
    createdAt: now,
    polledAt: null,
    fencedAt: null,
    endedAt: null,
    reason: null,
    evidenceId: null,
    everClaimed: false,
    checkAt: now + bootDeadlineMs,
  }
  state.runners.set(row.id, row)
  const facts = { pool: row.pool, name: row.name }
  appendTimeline(tx, cause, { subject: 'runner', subjectId: row.id, jobId: null, kind: 'enrolled', facts })
  return row
}

/** The first proof is the runner's. */
export function bindIdentity(tx: Tx, runnerId: number, identityHash: string): 'bound' | 'other' {
  const runner = tx.state.runners.get(runnerId)
  if (runner === undefined) return 'other'
  if (runner.identityHash !== null) return runner.identityHash === identityHash ? 'bound' : 'other'
  tx.state.runners.set(runnerId, { ...runner, identityHash })
  return 'bound'
}

/** The first pod is the runner's. */
export function bindPod(tx: Tx, runnerId: number, podUid: string): 'bound' | 'other' {
  const runner = tx.state.runners.get(runnerId)
  if (runner === undefined) return 'other'
  if (runner.podUid !== null) return runner.podUid === podUid ? 'bound' : 'other'
  tx.state.runners.set(runnerId, { ...runner, podUid })
  return 'bound'
}

/** Runners that ended on a node without having started, newest first. */
export function failedStarts(state: State, host: string, since: Instant): FailedStart[] {
  const failed = [...state.evidence.values()].flatMap(({ id, runnerId, sealedAt: at, record }) => {
    const runner = runnerId === null || at < since ? undefined : state.runners.get(runnerId)
    if (runner?.host !== host) return []
    const start = failedStart(runner, record as unknown as DeathRecord)
    return start === null ? [] : [{ id, ...start, at }]
  })
  failed.sort((a, b) => b.at - a.at || b.id - a.id)
  return failed.slice(0, failedStartsMax).map(({ id: _, ...start }) => start)
}

/** Where nothing is known to have been wrong, it must have ended by itself and never asked for work. */
function failedStart(
  { name, pool, polledAt }: Runner,
  { class: of, ending }: DeathRecord,
): Omit<FailedStart, 'at'> | null {
  const node = ending?.pod?.place.node ?? null
  if (ending === null || ending.pod === null || node === null) return null
  if (ending.startedAt !== null && of !== 'never-started') return null
  const { trouble: startProblem, deletedAt, disruption } = ending.pod
  const isTakenAway = ending.stopRequestedBy !== null || deletedAt !== null || disruption !== null
  if (startProblem === null && (polledAt !== null || isTakenAway)) return null
  return { runner: name, pool, node, startProblem: startProblem?.kind ?? null }
}
