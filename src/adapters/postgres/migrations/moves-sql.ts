import { attemptMoves, attemptStates } from '../../../domain/attempt/index.ts'
import { jobMoves, jobStates } from '../../../domain/job/index.ts'
import { type Moves, netMoves } from '../../../domain/machine/index.ts'
import { runnerMoves, runnerStates } from '../../../domain/runner/index.ts'

/** The transition tables as functions of the database: whether a row may go from one state to another in one write. */
export function movesSql(): string {
  return [
    functionOf('job', jobStates, netMoves<string, string>(jobMoves as Table, 'unbound')),
    functionOf('attempt', attemptStates, netMoves<string, string>(attemptMoves as Table)),
    functionOf('runner', runnerStates, netMoves<string, string>(runnerMoves as Table)),
  ].join('\n')
}

type Table = Moves<string, string>

function functionOf(
  machine: string,
  order: readonly string[],
  moves: ReadonlyMap<string, ReadonlySet<string>>,
): string {
  const cases = order.flatMap((from) => {
    const to = order.filter((state) => moves.get(from)?.has(state))
    return to.length === 0 ? [] : [`  when '${from}' then becomes in (${to.map((s) => `'${s}'`).join(', ')})`]
  })
  return [
    `create or replace function ${machine}_may_move(was text, becomes text) returns boolean immutable parallel safe`,
    'return case was',
    ...cases,
    '  else false end;',
  ].join('\n')
}
