import type { Handle } from '../../../../domain/attempt/index.ts'
import { jobMoves } from '../../../../domain/job/index.ts'
import type { Change } from '../../../../domain/job-event/index.ts'
import type { AttemptLedger, Fenced } from '../../../../ports/ledger.ts'
import type { Sealed } from '../../../../ports/vault.ts'
import { type Database, type Db, prepared, sql } from '../../connection/index.ts'
import { byDispatch } from '../cause.ts'
import { groupCommitAll } from '../group-commit.ts'
import { applyPlan, isUuid, lockOpenAttempts } from '../plan/index.ts'

type Delivered = Fenced<{ readonly jit: Sealed }>

interface Ask {
  readonly handle: Handle
  readonly registerDeadlineMs: number
}

/** `minted → delivered`; asked again, the same JIT, as long as it is kept. */
export function createDelivering(database: Database): AttemptLedger['deliver'] {
  const deliverTogether = groupCommitAll<Ask, Delivered>({
    conflict: (a, b) => a.handle === b.handle,
    run: (asks) => database.transaction((tx) => deliverAll(tx, asks)),
  })
  return (handle, registerDeadlineMs) => deliverTogether({ handle, registerDeadlineMs })
}

async function deliverAll(tx: Db, asks: readonly Ask[]): Promise<Delivered[]> {
  const handles = asks.map(({ handle }) => handle)
  const [bound, jits] = await Promise.all([lockOpenAttempts(tx, handles), readJits(tx, handles)])
  const changes = asks.flatMap(({ registerDeadlineMs }, index): Change[] => {
    const one = bound.each[index] ?? null
    if (one?.attempt.state !== 'minted' || !jits.has(one.attempt.id)) return []
    const transition = { kind: 'delivered', deadlineMs: registerDeadlineMs } as const
    const attempt: Change = { on: 'attempt', id: one.attempt.id, transition }
    if (!('delivered' in jobMoves[one.job.state])) return [attempt]
    return [attempt, { on: 'job', id: one.job.id, transition: { kind: 'delivered' } }]
  })
  if (changes.length > 0) await applyPlan(tx, bound, changes, byDispatch)
  return bound.each.map((one): Delivered => {
    const jit = one === null ? undefined : jits.get(one.attempt.id)
    return jit === undefined ? { kind: 'lost' } : { kind: 'ok', jit }
  })
}

/** Sent with the locks and read behind them. */
async function readJits(tx: Db, handles: readonly Handle[]): Promise<Map<number, Sealed>> {
  const { rows } = await tx.query<{ id: number; jit: Buffer; jit_key_id: string }>(
    prepared(
      'read-jits',
      sql`
    select id, jit, jit_key_id from attempts
     where handle = any (${handles.filter(isUuid)}::uuid[]) and ended_at is null and jit is not null`,
    ),
  )
  return new Map(
    rows.map(({ id, jit, jit_key_id }) => [id, { keyId: jit_key_id, bytes: new Uint8Array(jit) }]),
  )
}
