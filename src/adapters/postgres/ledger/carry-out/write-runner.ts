import type { Rows } from '../../../../domain/binding/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import type { Runner } from '../../../../domain/runner/index.ts'
import { type Db, instant, sql } from '../../connection/index.ts'
import { instantOrNull, text } from '../rows/index.ts'

/** Writes what a transition changes of a runner, if it is still in the state that the plan was made for. */
export async function writeRunner(tx: Db, runner: Runner, before: Rows): Promise<void> {
  const { rowCount } = await tx.query(sql`
    update runners
       set state = ${runner.state},
           polled_at = ${instantOrNull(runner.polledAt)},
           fenced_at = ${instantOrNull(runner.fencedAt)},
           ended_at = ${instantOrNull(runner.endedAt)},
           reason = ${runner.reason === null ? null : text(runner.reason)},
           evidence_id = ${runner.evidenceId},
           check_at = ${instant(runner.checkAt)}
     where id = ${runner.id} and state = ${before.runners.get(runner.id)?.state ?? ''}`)
  if (rowCount !== 1) {
    throw new HoldfastError('E_BUG', { what: `runner ${runner.id} changed although it was locked` })
  }
}
