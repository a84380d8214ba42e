import { handleBytes, handleFrom } from '../domain/attempt/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Claim } from '../ports/ledger.ts'
import type { DispatchDeps } from './deps.ts'
import { mintFor } from './mint.ts'
import { mintsPerPollMax } from './settings.ts'
import type { Waiter } from './waiters.ts'

export type PollAnswer =
  | { readonly kind: 'job'; readonly handle: string; readonly jit: string; readonly jobId: number }
  | { readonly kind: 'nothing' }
  /** Fenced, ended, or its one configuration is used: the runner must end. */
  | { readonly kind: 'leave' }

/**
 * A runner asks for work and waits for it. Whatever happened to the answer of an earlier poll, asking again
 * gives the same attempt and the same JIT (I2). The signal ends the waiting only: a claim is always seen through.
 */
export async function poll(runner: Runner, deps: DispatchDeps, signal: AbortSignal): Promise<PollAnswer> {
  if ((await deps.ledger.polled(runner.id)) === 'leave') {
    // A runner that holds an attempt is no longer polling for the ledger, but may have lost our answer.
    return (await resume(runner, deps)) ?? { kind: 'leave' }
  }
  const open = await resume(runner, deps)
  if (open !== null) return open

  const waiter = deps.waiters.join(runner.pool, runner.id)
  try {
    return await claimOrWait(runner, deps, waiter, signal)
  } finally {
    waiter.leave()
  }
}

async function claimOrWait(
  runner: Runner,
  deps: DispatchDeps,
  waiter: Waiter,
  signal: AbortSignal,
): Promise<PollAnswer> {
  const { clock, ledger, settings } = deps
  const deadline = clock.now() + settings.pollMs
  let mints = 0
  while (!signal.aborted) {
    waiter.look()
    const result = await ledger.claim(
      runner,
      handleFrom(deps.entropy.bytes(handleBytes)),
      settings.mintDeadlineMs,
    )
    if (result.kind === 'leave') return { kind: 'leave' }
    if (result.kind === 'claimed') {
      waiter.served()
      tellWait(result.claim, deps)
      const answer = await serve(result.claim, deps)
      if (answer !== null) return answer
      mints += 1
      if (mints < mintsPerPollMax) continue
      break
    }
    const leftMs = deadline - clock.now()
    if (leftMs <= 0) break
    await waiter.wait(leftMs, signal)
    if (clock.now() >= deadline) break
  }
  return { kind: 'nothing' }
}

function tellWait({ attempt, job }: Claim, { metrics }: DispatchDeps): void {
  metrics.observe(
    'holdfast_job_wait_seconds',
    { pool: job.pool ?? '' },
    (attempt.claimedAt - job.seenAt) / 1000,
  )
}

/** What an earlier poll of this runner led to; null where it holds no attempt. */
async function resume(runner: Runner, deps: DispatchDeps): Promise<PollAnswer | null> {
  const open = await deps.ledger.openAttempt(runner.id)
  if (open === null) return null
  switch (open.attempt.state) {
    case 'claimed':
      return { kind: 'nothing' } // its mint is under way, or recovery will end it
    case 'minted':
    case 'delivered':
    case 'acknowledged':
      return (await deliver(open, deps)) ?? { kind: 'nothing' }
    default:
      return { kind: 'leave' } // the forge has seen this runner: the configuration is used
  }
}

/** From the claim to the answer; null where this job came to nothing and another may be tried. */
async function serve(claim: Claim, deps: DispatchDeps): Promise<PollAnswer | null> {
  if (!(await mintFor(claim, deps))) return null
  return deliver(claim, deps)
}

/** The delivery is written before its first byte leaves, so that an answer on its way is never unknown here (I3). */
async function deliver(claim: Claim, deps: DispatchDeps): Promise<PollAnswer | null> {
  const { handle } = claim.attempt
  const delivered = await deps.ledger.deliver(handle, deps.settings.registerDeadlineMs)
  if (delivered.kind === 'lost') return null
  return { kind: 'job', handle, jit: deps.vault.open(delivered.jit, handle), jobId: claim.job.id }
}
