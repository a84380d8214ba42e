import { isError } from '../domain/errors/index.ts'
import type { ForgeScope, MintRefused } from '../ports/forge.ts'
import type { Claim } from '../ports/ledger.ts'
import type { DispatchDeps } from './deps.ts'
import { mintBackOffMaxMs, mintBackOffMs } from './settings.ts'

/** Mints the claim's configuration and stores it; false where the attempt came to nothing. */
export async function mintFor(claim: Claim, deps: DispatchDeps): Promise<boolean> {
  const { attempt, job } = claim
  const signal = deps.shutdown
  const scope: ForgeScope = { installation: job.installation, repository: job.repository }
  try {
    const answer = await deps.forge.mint({ scope, name: attempt.forgeRunnerName, labels: job.labels }, signal)
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
  const delayMs = Math.max(answer.retryAfterMs ?? 0, backOffMs(job.mintFailures))
  const failure = {
    reason: answer.reason,
    concerns: answer.concerns,
    delayMs,
    failuresMax: deps.settings.mintFailuresMax,
  }
  const result = await deps.ledger.mintFailed(attempt.handle, failure)
  const quarantined = result.kind === 'ok' && result.quarantined
  deps.log.warn(
    { job: job.id, repository: job.repository, reason: answer.reason, quarantined },
    'the forge refused a runner',
  )
  return false
}

/**
 * The forge did not answer, so the mint may have succeeded: its runner is looked up by name and removed. Where
 * even that fails the attempt stays claimed, and the rule `stale-claim` does the same after the deadline.
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
    { job: job.id, runner: attempt.forgeRunnerName, err: cause },
    'the forge did not answer a mint',
  )
  try {
    const leaked = await deps.forge.findRunner(scope, attempt.forgeRunnerName, signal)
    if (leaked !== null && (await deps.forge.removeRunner(scope, leaked.id, signal)) === 'busy') return false
  } catch (error) {
    if (!isError(error, 'E_FORGE_UNAVAILABLE')) throw error
    return false
  }
  await deps.ledger.mintFailed(attempt.handle, {
    reason: 'The forge did not answer.',
    // Not this job's fault: it backs off, but silence alone never quarantines it.
    concerns: 'job',
    delayMs: backOffMs(job.mintFailures),
    failuresMax: Number.MAX_SAFE_INTEGER,
  })
  return false
}

function backOffMs(failures: number): number {
  return Math.min(mintBackOffMaxMs, mintBackOffMs * 2 ** Math.min(failures, 20))
}
