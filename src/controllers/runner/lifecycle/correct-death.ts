import { correctionRule, type DeathRecord } from '../../../domain/death/index.ts'
import type { Runner } from '../../../domain/runner/index.ts'
import type { HostedRunner } from '../../../ports/runner-host.ts'
import { bounded } from '../seal/index.ts'
import type { LifecycleDeps } from './deps.ts'

/** The present state of a runner whose end had been sealed. */
export type Found =
  | { readonly kind: 'alive'; readonly hosted: HostedRunner }
  /** The runner has ended now, with this record. */
  | { readonly kind: 'ended'; readonly record: DeathRecord }

/**
 * Corrects an end that was sealed although its runner lived. A death record is unique and never rewritten (I5): a second
 * record names the first and says what is true; it is shown wherever the first is explained. Each of the two is written
 * once, also after a restart.
 */
export async function correctDeath(
  runner: Runner,
  found: Found,
  { ledger, host, log, metrics }: LifecycleDeps,
): Promise<void> {
  const podUid = host.uidOf(runner.name) ?? null
  if (runner.podUid != null && podUid !== runner.podUid) return // another pod of its name proves nothing
  const file = await ledger.runnerFile(runner.name)
  const sealed = file?.evidence.find(({ id }) => id === runner.evidenceId)
  const isSaid = file?.decisions.some(
    ({ rule, facts }) => rule === correctionRule && facts.found === found.kind,
  )
  if (sealed === undefined || isSaid) return
  const sealedAs = String(sealed.record.class)
  const why =
    found.kind === 'alive'
      ? `evidence ${sealed.id} says ${sealedAs}, and its pod runs`
      : `evidence ${sealed.id} says ${sealedAs}, and it ended later as ${found.record.class}`
  const truth = found.kind === 'alive' ? { hosted: found.hosted } : { record: bounded(found.record) }
  const ids = { jobId: null, attemptId: null, runnerId: runner.id }
  const facts = { found: found.kind, evidenceId: sealed.id, sealedAs, podUid, ...truth }
  const id = await ledger.recordDecision({
    rule: correctionRule,
    ...ids,
    facts,
    actions: [{ kind: 'correct', reason: why }],
  })
  await ledger.recordOutcome(id, `corrected: ${why}`)
  metrics.count('holdfast_decisions_total', { rule: correctionRule })
  log.error(
    { runner: runner.name, pool: runner.pool, evidenceId: sealed.id, sealedAs, found: found.kind },
    why,
  )
}
