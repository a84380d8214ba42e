import { backOffMs } from '../domain/back-off/index.ts'
import { isError } from '../domain/errors/index.ts'
import { type IncidentKind, incidentTable } from '../domain/incident/index.ts'
import { jobFields } from '../domain/job/index.ts'
import type { ForgeScope, MintRefused } from '../ports/forge.ts'
import type { Claim } from '../ports/ledger.ts'
import type { LogFields } from '../ports/log.ts'
import type { DispatchDeps } from './deps.ts'
import { incidentRetryMs, mintBackOff } from './settings.ts'

/** Mints the claim's configuration and stores it; false where the attempt ended without one. */
export async function mintFor(claim: Claim, deps: DispatchDeps): Promise<boolean> {
  const { attempt, job } = claim
  const signal = deps.shutdown
  const scope: ForgeScope = { installation: job.installation, repository: job.repository }
  try {
    const order = { scope, name: attempt.forgeRunnerName, labels: job.labels }
    const runnerGroup = claim.runnerGroup ?? undefined
    const answer = await deps.forge.mint({ ...order, runnerGroup }, signal)
    if (answer.kind === 'refused') return await refused(claim, answer, deps)
    const jit = deps.vault.seal(answer.jit, attempt.handle)
    const stored = await deps.ledger.minted(
      attempt.handle,
      answer.forgeRunnerId,
      jit,
      deps.settings.mintDeadlineMs,
    )
    if (stored.kind === 'ok') return true
    await deps.forge.removeRunner(scope, answer.forgeRunnerId, signal)
    return false
  } catch (error) {
    if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
    return unanswered(claim, scope, error, deps)
  }
}

async function refused(claim: Claim, answer: MintRefused, deps: DispatchDeps): Promise<false> {
  const { attempt, job } = claim
  const { reason, concerns, incident } = answer
  const result = await deps.ledger.mintFailed(attempt.handle, {
    reason,
    concerns,
    incident,
    delayMs: delayMsOf(answer, isBlameless(answer) ? job.requeues : job.mintFailures),
    failuresMax: isBlameless(answer) ? null : deps.settings.mintFailuresMax,
  })
  const outcome = result.kind === 'ok' ? result : { quarantined: false, incident: null }
  if (result.kind === 'ok') countFailure(claim, outcome.quarantined, deps)
  const fields = { ...jobFields(job), reason, quarantined: outcome.quarantined }
  if (incident === null) deps.log.warn(fields, 'the forge refused a runner')
  else reportIncident(incident, outcome.incident, fields, deps)
  return false
}

/** A refusal that concerns the account, or that only a person can lift, does not count against the job. */
function isBlameless({ concerns, incident }: MintRefused): boolean {
  return concerns === 'account' || incident !== null
}

function delayMsOf({ retryAfterMs, incident }: MintRefused, failures: number): number {
  // A refusal that a person must lift does not end sooner by more frequent retries.
  if (incident !== null) return retryAfterMs ?? incidentRetryMs
  return Math.max(retryAfterMs ?? 0, backOffMs(mintBackOff, failures + 1))
}

/** An incident is logged once, with what to do about it; while it lasts it is no news. */
function reportIncident(
  kind: IncidentKind,
  result: 'opened' | 'known' | null,
  fields: LogFields,
  { log, metrics }: DispatchDeps,
): void {
  if (result !== 'opened') {
    log.debug({ ...fields, incident: kind }, 'the forge still refuses runners')
    return
  }
  const { title, todo } = incidentTable[kind]
  metrics.count('holdfast_incidents_total', { kind })
  log.error({ ...fields, incident: kind, title, todo }, 'the forge refuses runners until a person acts')
}

/**
 * The forge did not answer, so the mint may have succeeded: its runner is looked up by name and removed. Where it
 * is not found the attempt stays claimed, because a new runner may not be in the forge's lists yet; the rule
 * `stale-claim` looks again after the deadline.
 */
async function unanswered(
  claim: Claim,
  scope: ForgeScope,
  cause: unknown,
  deps: DispatchDeps,
): Promise<false> {
  const { attempt, job } = claim
  const signal = deps.shutdown
  deps.log.warn(
    { ...jobFields(job), runner: attempt.forgeRunnerName, err: cause },
    'the forge did not answer a mint',
  )
  try {
    const leaked = await deps.forge.findRunner(scope, attempt.forgeRunnerName, signal)
    if (leaked === null || (await deps.forge.removeRunner(scope, leaked.id, signal)) === 'busy') return false
  } catch (error) {
    if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
    return false
  }
  const result = await deps.ledger.mintFailed(attempt.handle, {
    reason: 'The forge did not answer.',
    // Not the job's fault: the back-off grows with its requeues, and an unavailable forge never counts against it.
    concerns: 'job',
    delayMs: backOffMs(mintBackOff, job.requeues + 1),
    failuresMax: null,
    incident: null,
  })
  if (result.kind === 'ok') countFailure(claim, result.quarantined, deps)
  return false
}

function countFailure({ job }: Claim, isQuarantined: boolean, { metrics }: DispatchDeps): void {
  if (isQuarantined) metrics.count('holdfast_jobs_given_up_total', { pool: job.pool ?? 'none' })
  else metrics.count('holdfast_jobs_requeued_total', { rule: 'mint-failed' })
}
