import { givenUpReason } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { holdAct } from '../../held-act.ts'
import { type Removed, removeIdle } from '../../pool/remove/index.ts'
import type { LivenessDeps } from './deps.ts'

const rule = 'start-given-up'
const cause: Cause = { source: 'lifecycle', rule }

/** The act is over its bound, and may be retried after so long. */
export interface HeldBack {
  readonly againInMs: number
}

/**
 * Fences and stops a runner that did not start, unless the bound is reached; the lifecycle seals its end, with the facts of
 * the host.
 */
export async function giveUp(
  hosted: HostedRunner,
  runner: Runner,
  deps: LivenessDeps,
): Promise<Removed | HeldBack> {
  const { ledger, bounds, log, metrics, recordEvent, clock } = deps
  const { problem, node } = hosted
  const reason = givenUpReason(problem)
  const row = {
    rule,
    jobId: null,
    attemptId: null,
    runnerId: runner.id,
    facts: { runnerState: runner.state, hosted },
    actions: [{ kind: 'fence' }, { kind: 'stop-runner', evenIfStarted: false }],
  }
  const act = { kind: 'give-up-start', runnerId: runner.id, node } as const
  const recorded = await ledger.recordBounded(row, act, bounds)
  if (recorded.kind === 'over') return { againInMs: await holdAct(row, recorded.over, deps) }
  const { id } = recorded
  metrics.count('holdfast_decisions_total', { rule })
  const removed = await removeIdle(deps, runner, reason, cause)
  if (removed === 'taken') await ledger.releaseAct(id)
  await ledger.recordOutcome(id, removed)
  log.warn({ runner: runner.name, pool: runner.pool, node, reason, outcome: removed }, 'a start is given up')
  if (removed !== 'leaving') return removed
  recordEvent?.({
    about: { kind: 'pool', name: runner.pool },
    type: 'Warning',
    reason: problem?.kind ?? 'StartDeadline',
    message: `Runner ${runner.name} was given up${node === null ? '' : ` on ${node}`}: ${reason}`,
    at: clock.now(),
  })
  return removed
}
