import { givenUpReason } from '../../../domain/pool/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { Cause } from '../../../ports/ledger.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { type Removed, removeIdle } from '../../pool/remove/index.ts'
import type { LivenessDeps } from './deps.ts'

const rule = 'start-given-up'
const cause: Cause = { source: 'lifecycle', rule }

/** Fences and stops a runner that did not get going; its end is sealed by the lifecycle, with what the host says. */
export async function giveUp(hosted: HostedRunner, runner: Runner, deps: LivenessDeps): Promise<Removed> {
  const { ledger, log, metrics, tell, clock } = deps
  const { trouble, node } = hosted
  const reason = givenUpReason(trouble)
  const id = await ledger.recordDecision({
    rule,
    ...{ jobId: null, attemptId: null, runnerId: runner.id },
    facts: { runnerState: runner.state, hosted },
    actions: [{ kind: 'fence' }, { kind: 'stop-runner', evenIfStarted: false }],
  })
  metrics.count('holdfast_decisions_total', { rule })
  const removed = await removeIdle(deps, runner, reason, cause)
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
