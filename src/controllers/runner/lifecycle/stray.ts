import { decideStray, lostRecord, type StrayDecision, strangerId } from '../../../domain/recovery/index.ts'
import { isLive, type Runner } from '../../../domain/runner/index.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { holdAct } from '../../held-act.ts'
import type { WorkedOn } from '../keyed/index.ts'
import { correctDeath } from './correct-death.ts'
import type { LifecycleDeps } from './deps.ts'
import type { Memory } from './memory.ts'
import { adopt, seal } from './seal.ts'

/** A runner that runs and that the ledger does not count on: it ended there, or its row was never written. */
export async function treatStray(
  hosted: HostedRunner,
  deps: LifecycleDeps,
  memory: Memory,
): Promise<WorkedOn> {
  const { ledger, host, clock, log } = deps
  const runner = await ledger.findRunner(hosted.name)
  const now = clock.now()
  const { program, node, leavingSince, silentSince } = hosted
  const decision = decideStray(
    {
      hosted: { kind: 'running', program, node, leavingSince, silentSince },
      runner,
      straySince: memory.straySince(hosted.name, now),
    },
    now,
    deps.strayGraceMs,
  )
  if (decision.kind === 'known') {
    memory.forget(hosted.name)
    return null
  }
  // What leaves, or is on a silent node, may well be over: its end was sealed by what was known.
  const isAlive = leavingSince === null && silentSince === null
  if (runner !== null && !isLive(runner) && isAlive)
    await correctDeath(runner, { kind: 'alive', hosted }, deps)
  if (decision.kind === 'leave') {
    if (decision.isShown && !memory.lingering.has(hosted.name)) {
      await show(hosted, runner, decision.why, deps, memory)
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
    // No fence in the ledger speaks for it, so it must wait still when it is asked to go.
    const how = { graceMs: deps.stopGraceMs, evenIfStarted: false, onlyIfWaiting: true }
    await outcome(await host.stop(hosted.name, { reason: decision.reason, ...how }))
    return null
  }
  const lost = lostRecord({ class: 'node-lost', because: [`Nobody counted on it: ${decision.reason}.`] })
  const adopted = runner === null ? await adopt(hosted, lost, deps) : null
  if (adopted !== null) await seal(adopted, lost, deps) // one whose row ended has its record
  await host.abandon(hosted.name)
  memory.forget(hosted.name)
  await outcome('abandoned')
  return 'over'
}

/** It is never killed on suspicion (I4): people are told, on the pool, on the pod, in the log and by a count. */
async function show(
  hosted: HostedRunner,
  runner: Runner | null,
  why: string,
  { ledger, log, metrics, tell, troubles, clock }: LifecycleDeps,
  memory: Memory,
): Promise<void> {
  const rule = 'lingering-stray'
  const { name, pool, node } = hosted
  const where = node === null ? '' : ` on ${node}`
  const message = `${name} runs${where}, nobody counts on it, and it is left because ${why}.`
  memory.lingering.set(name, { name, pool, message })
  log.warn({ runner: name, pool, node, rule, why }, 'a runner that the ledger does not count on does not go')
  metrics.count('holdfast_decisions_total', { rule })
  const ids = { jobId: null, attemptId: null, runnerId: runner?.id ?? null }
  const facts = { runnerState: runner?.state ?? null, hosted, why }
  const id = await ledger.recordDecision({ rule, ...ids, facts, actions: [{ kind: 'show', reason: why }] })
  await ledger.recordOutcome(id, 'shown')
  const about = { kind: 'runner', name } as const
  tell?.({ about, type: 'Warning', reason: 'StrayRunner', message, at: clock.now() })
  troubles?.showStrays([...memory.lingering.values()])
}

type Recorded =
  | { readonly kind: 'recorded'; readonly outcome: (outcome: string) => Promise<void> }
  | { readonly kind: 'held'; readonly againInMs: number }

/** The decision is kept before it is carried out, and its outcome afterwards. What lets a pod go is counted. */
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
