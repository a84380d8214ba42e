import { givenUpReason } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { holdAct } from '../../held-act.ts'
import { type Removed, removeIdle } from '../../pool/remove/index.ts'
import type { LivenessDeps } from './deps.ts'

const rule = 'start-given-up'
const cause: Cause = { source: 'lifecycle', rule }

/** It is over its bound, and may be tried again after so long. */
export interface HeldBack {
  readonly againInMs: number
}

/**
 * Fences and stops a runner that did not get going, unless that was done to too many; its end is sealed by the lifecycle,
 * with what the host says.
 */
export async function giveUp(
  hosted: HostedRunner,
  runner: Runner,
  deps: LivenessDeps,
): Promise<Removed | HeldBack> {
  const { ledger, bounds, log, metrics, tell, clock } = deps
  const { trouble, node } = hosted
  const reason = givenUpReason(trouble)
  const row = {
    rule,
    ...{ jobId: null, attemptId: null, runnerId: runner.id },
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
  tell?.({
    about: { kind: 'pool', name: runner.pool },
    type: 'Warning',
    reason: trouble?.kind ?? 'StartDeadline',
    message: `Runner ${runner.name} was given up${node === null ? '' : ` on ${node}`}: ${reason}`,
    at: clock.now(),
  })
  return removed
}
