import { handleBytes, handleFrom } from '../domain/attempt/index.ts'
import { backOffMs } from '../domain/back-off/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Instant } from '../domain/time.ts'
import { createSignal } from '../loop/index.ts'
import type { Claim } from '../ports/ledger.ts'
import type { DispatchDeps } from './deps.ts'
import { mintFor } from './mint.ts'
import { mintLookBackOff, mintsPerPollMax } from './settings.ts'
import type { Waiter } from './waiters.ts'

export type PollAnswer =
  | { readonly kind: 'job'; readonly handle: string; readonly jit: string; readonly jobId: number }
  | { readonly kind: 'nothing' }
  /** The runner is fenced or has ended, or its one configuration is used: it must exit. */
  | { readonly kind: 'leave' }

/**
 * A runner asks for work and waits for it. Whatever happened to the answer of an earlier poll, a repeated poll returns
 * the same attempt and the same JIT (I2). The signal ends only the waiting: a claim is always completed. While the mint of
 * an earlier poll is under way the poll waits for it with back-off, because the runner would poll again at once.
 */
export async function poll(runner: Runner, deps: DispatchDeps, signal: AbortSignal): Promise<PollAnswer> {
  const deadline = deps.clock.now() + deps.settings.pollMs
  for (let looks = 1; ; looks += 1) {
    const answer = await pollOnce(runner, deps, deadline, signal)
    if (answer !== 'minting') return answer
    const leftMs = deadline - deps.clock.now()
    const waitMs = Math.min(backOffMs(mintLookBackOff, looks), leftMs)
    if (leftMs > 0) await createSignal(deps.clock).wait(waitMs, signal)
    if (leftMs <= 0 || signal.aborted) return { kind: 'nothing' }
  }
}

async function pollOnce(
  runner: Runner,
  deps: DispatchDeps,
  deadline: Instant,
  signal: AbortSignal,
): Promise<PollAnswer | 'minting'> {
  const waiter = deps.waiters.join(runner)
  try {
    const known = waiter.isBack ? null : await introduce(runner, deps)
    return known ?? (await claimOrWait(runner, deps, waiter, deadline, signal))
  } finally {
    waiter.leave()
  }
}

/** The ledger's answer for a runner that did not poll recently; null: it may be given a job. */
async function introduce(runner: Runner, deps: DispatchDeps): Promise<PollAnswer | 'minting' | null> {
  const { ledger } = deps
  const [verdict, open] = await Promise.all([ledger.polled(runner.id), ledger.openAttempt(runner.id)])
  // For the ledger a runner with an attempt is no longer polling, but our answer may have been lost.
  if (open !== null) return resume(open, deps)
  return verdict === 'leave' ? { kind: 'leave' } : null
}

async function claimOrWait(
  runner: Runner,
  deps: DispatchDeps,
  waiter: Waiter,
  deadline: Instant,
  signal: AbortSignal,
): Promise<PollAnswer> {
  const { clock } = deps
  let mints = 0
  let mustLook = waiter.hasNews()
  while (!signal.aborted) {
    if (mustLook) {
      const turnInMs = deps.budget?.mints.enter() ?? 0
      if (turnInMs > 0) {
        // The poll waits until a mint may go: no job is claimed that would wait for the forge's limit.
        await waiter.wait(Math.min(turnInMs, Math.max(0, deadline - clock.now())), signal)
        if (waiter.isStale() || clock.now() >= deadline) break
        continue
      }
      const answer = await look(runner, deps, waiter).finally(() => deps.budget?.mints.leave())
      if (answer === 'refused') {
        mints += 1
        if (mints < mintsPerPollMax) continue
        break
      }
      if (answer !== null) return answer
    }
    const leftMs = deadline - clock.now()
    if (leftMs > 0) await waiter.wait(leftMs, signal)
    if (waiter.isStale()) break
    if (clock.now() >= deadline) {
      waiter.expectBack()
      break
    }
    mustLook = waiter.hasNews()
  }
  return { kind: 'nothing' }
}

/** One look at the queue; null: it has no job for this runner. `refused`: the forge refused the jobs that it had. */
async function look(
  runner: Runner,
  deps: DispatchDeps,
  waiter: Waiter,
): Promise<PollAnswer | 'refused' | null> {
  const { ledger, settings, entropy } = deps
  waiter.look()
  const result = await ledger.claim(runner, handleFrom(entropy.bytes(handleBytes)), settings.mintDeadlineMs)
  if (result.kind === 'leave') return { kind: 'leave' }
  if (result.kind === 'nothing') return null
  waiter.served()
  observeWait(result.claim, deps)
  return (await serve(result.claim, deps)) ?? 'refused'
}

function observeWait({ attempt, job }: Claim, { metrics }: DispatchDeps): void {
  metrics.observe(
    'holdfast_job_wait_seconds',
    { pool: job.pool ?? '' },
    (attempt.claimedAt - job.seenAt) / 1000,
  )
}

/** The answer to which an earlier poll of this runner led. */
async function resume(open: Claim, deps: DispatchDeps): Promise<PollAnswer | 'minting'> {
  switch (open.attempt.state) {
    case 'claimed':
      return 'minting' // or recovery will end it
    case 'minted':
    case 'delivered':
    case 'acknowledged':
      return (await deliver(open, deps)) ?? { kind: 'nothing' }
    default:
      return { kind: 'leave' } // the forge has seen this runner: the configuration is used
  }
}

/** From the claim to the answer; null where this job was not delivered and another may be tried. */
async function serve(claim: Claim, deps: DispatchDeps): Promise<PollAnswer | null> {
  if (!(await mintFor(claim, deps))) return null
  return deliver(claim, deps)
}

/** The delivery is stored before its first byte leaves, so that an answer under way is never unknown here (I3). */
async function deliver(claim: Claim, deps: DispatchDeps): Promise<PollAnswer | null> {
  const { handle } = claim.attempt
  const delivered = await deps.ledger.deliver(handle, deps.settings.registerDeadlineMs)
  if (delivered.kind === 'lost') return null
  return { kind: 'job', handle, jit: deps.vault.open(delivered.jit, handle), jobId: claim.job.id }
}
