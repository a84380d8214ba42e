import type { Change } from '../../../../domain/binding/index.ts'
import type { DeathRecord } from '../../../../domain/death/index.ts'
import { isLive } from '../../../../domain/runner/index.ts'
import type { Cause, Ledger } from '../../../../ports/ledger.ts'
import { type Database, type Db, sql } from '../../connection/index.ts'
import { carryOut, notify } from '../carry-out/index.ts'
import { isSameCause } from '../cause.ts'
import { together } from '../together.ts'
import { lockWithAttempts } from './lock.ts'

interface Death {
  readonly runnerId: number
  readonly record: DeathRecord
  readonly reason: string
  readonly cause: Cause
}

type Outcome = 'sealed' | 'already'

/**
 * Seals a runner's death record, once, and ends the runner; its open attempt is due at once. Those that end together
 * are sealed together.
 */
export function createSealing(database: Database): Ledger['sealDeath'] {
  const seal = together<Death, Outcome>({
    conflict: (a, b) => a.runnerId === b.runnerId || !isSameCause(a.cause, b.cause),
    run: (deaths) => database.transaction((tx) => sealAll(tx, deaths)),
  })
  return (runnerId, record, reason, cause) => seal({ runnerId, record, reason, cause })
}

async function sealAll(tx: Db, deaths: readonly Death[]): Promise<Outcome[]> {
  const locked = await lockWithAttempts(
    tx,
    deaths.map(({ runnerId }) => runnerId),
  )
  // A row goes only after its death was sealed.
  const isOpen = locked.each.map((one) => one !== null && isLive(one.runner))
  const changes = deaths.flatMap(({ runnerId, record, reason }, place): Change[] =>
    isOpen[place] ? [{ on: 'runner-gone', id: runnerId, record, reason }] : [],
  )
  const [first] = deaths
  if (changes.length > 0 && first !== undefined) {
    await carryOut(tx, locked, changes, first.cause)
    const attempts = locked.each.flatMap((one, place) =>
      isOpen[place] && one?.attempt != null ? [one.attempt.id] : [],
    )
    if (attempts.length > 0) await makeDue(tx, attempts)
    await notify(tx, 'recovery')
  }
  return isOpen.map((was) => (was ? 'sealed' : 'already'))
}

async function makeDue(tx: Db, attemptIds: readonly number[]): Promise<void> {
  await tx.query(sql`update attempts set check_at = now() where id = any (${attemptIds}::bigint[])`)
}
