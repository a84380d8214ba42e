import { decideStray, lostRecord, type StrayDecision, strangerId } from '../../../domain/recovery/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { ReconcileResult } from '../../../loop/index.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { holdAct } from '../../held-act.ts'
import { correctDeath } from './correct-death.ts'
import type { LifecycleDeps } from './deps.ts'
import type { LifecycleState } from './lifecycle-state.ts'
import { adopt, seal } from './seal.ts'

/** Handles a stray that runs: its row has ended, or was never written. */
export async function treatStray(
  hosted: HostedRunner,
  deps: LifecycleDeps,
  state: LifecycleState,
): Promise<ReconcileResult> {
  const { ledger, host, clock, log } = deps
  const runner = await ledger.findRunner(hosted.name)
  const now = clock.now()
  const { program, node, leavingSince, silentSince } = hosted
  const decision = decideStray(
    {
      hosted: { kind: 'running', program, node, leavingSince, silentSince },
      runner,
      straySince: state.straySince(hosted.name, now),
    },
    now,
    deps.strayGraceMs,
  )
  if (decision.kind === 'known') {
    state.forget(hosted.name)
    return null
  }
  // A runner that leaves, or is on a silent node, may well be over: its end was sealed by the known facts.
  const isAlive = leavingSince === null && silentSince === null
  if (runner !== null && !isLive(runner) && isAlive)
    await correctDeath(runner, { kind: 'alive', hosted }, deps)
  if (decision.kind === 'leave') {
    if (decision.isShown && !state.lingering.has(hosted.name)) {
      await show(hosted, runner, decision.why, deps, state)
    }
    log.debug(
      { runner: hosted.name, why: decision.why },
      'a runner that the ledger does not count on is left',
    )
    return decision.againInMs
  }
  const recorded = await record(hosted, runner, decision, deps)
  if (recorded.kind === 'held') return recorded.againInMs
  const { outcome } = recorded
  if (decision.kind === 'stop') {
    // No fence in the ledger protects it, so its program must still be waiting when it is asked to go.
    const how = { graceMs: deps.stopGraceMs, evenIfStarted: false, onlyIfWaiting: true }
    await outcome(await host.stop(hosted.name, { reason: decision.reason, ...how }))
    return null
  }
  const lost = lostRecord({ class: 'node-lost', because: [`Nobody counted on it: ${decision.reason}.`] })
  const adopted = runner === null ? await adopt(hosted, lost, deps) : null
  if (adopted !== null) await seal(adopted, lost, deps) // a row that has ended has its record
  await host.abandon(hosted.name)
  state.forget(hosted.name)
  await outcome('abandoned')
  return 'over'
}

/** A stray is never killed on suspicion (I4): it is reported on the pool, on the pod, in the log and by a metric. */
async function show(
  hosted: HostedRunner,
  runner: Runner | null,
  why: string,
  { ledger, log, metrics, recordEvent, startProblems, clock }: LifecycleDeps,
  state: LifecycleState,
): Promise<void> {
  const rule = 'lingering-stray'
  const { name, pool, node } = hosted
  const where = node === null ? '' : ` on ${node}`
  const message = `${name} runs${where}, nobody counts on it, and it is left because ${why}.`
  state.lingering.set(name, { name, pool, message })
  log.warn({ runner: name, pool, node, rule, why }, 'a runner that the ledger does not count on does not go')
  metrics.count('holdfast_decisions_total', { rule })
  const ids = { jobId: null, attemptId: null, runnerId: runner?.id ?? null }
  const facts = { runnerState: runner?.state ?? null, hosted, why }
  const id = await ledger.recordDecision({ rule, ...ids, facts, actions: [{ kind: 'show', reason: why }] })
  await ledger.recordOutcome(id, 'shown')
  const about = { kind: 'runner', name } as const
  recordEvent?.({ about, type: 'Warning', reason: 'StrayRunner', message, at: clock.now() })
  startProblems?.showStrays([...state.lingering.values()])
}

type Recorded =
  | { readonly kind: 'recorded'; readonly outcome: (outcome: string) => Promise<void> }
  | { readonly kind: 'held'; readonly againInMs: number }

/** Stores the decision before it is applied, and its outcome afterwards. Releases of pods are counted. */
async function record(
  hosted: HostedRunner,
  runner: Runner | null,
  { kind, rule, reason }: Extract<StrayDecision, { kind: 'stop' | 'abandon' }>,
  deps: LifecycleDeps,
): Promise<Recorded> {
  const { ledger, bounds, log, metrics } = deps
  const ids = { jobId: null, attemptId: null, runnerId: runner?.id ?? null }
  const facts = { runnerState: runner?.state ?? null, hosted }
  const row = { rule, ...ids, facts, actions: [{ kind, reason }] }
  const act = { runnerId: runner?.id ?? strangerId(hosted.name), node: hosted.node }
  const recorded =
    kind === 'abandon'
      ? await ledger.recordBounded(row, { kind: 'abandon-stray', ...act }, bounds)
      : ({ kind: 'recorded', id: await ledger.recordDecision(row) } as const)
  if (recorded.kind === 'over') return { kind: 'held', againInMs: await holdAct(row, recorded.over, deps) }
  log.warn({ runner: hosted.name, rule, kind }, 'a runner that the ledger does not count on is removed')
  metrics.count('holdfast_decisions_total', { rule })
  return { kind: 'recorded', outcome: (outcome) => ledger.recordOutcome(recorded.id, outcome) }
}
