import { handleBytes, handleFrom } from '../domain/attempt/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Instant } from '../domain/time.ts'
import { createDoorbell } from '../loop/index.ts'
import type { Claim } from '../ports/ledger.ts'
import type { DispatchDeps } from './deps.ts'
import { mintFor } from './mint.ts'
import { mintLookMs, mintsPerPollMax, pollSweepMs } from './settings.ts'
import type { Waiter } from './waiters.ts'

export type PollAnswer =
  | { readonly kind: 'job'; readonly handle: string; readonly jit: string; readonly jobId: number }
  | { readonly kind: 'nothing' }
  /** Fenced, ended, or its one configuration is used: the runner must end. */
  | { readonly kind: 'leave' }

/**
 * A runner asks for work and waits for it. Whatever happened to the answer of an earlier poll, asking again
 * gives the same attempt and the same JIT (I2). The signal ends the waiting only: a claim is always seen through.
 * Where the mint of an earlier poll is under way it waits for that, ever more slowly: it would only ask again at once.
 */
export async function poll(runner: Runner, deps: DispatchDeps, signal: AbortSignal): Promise<PollAnswer> {
  const deadline = deps.clock.now() + deps.settings.pollMs
  for (let waitMs = mintLookMs; ; waitMs = Math.min(waitMs * 2, pollSweepMs)) {
    const answer = await pollOnce(runner, deps, deadline, signal)
    if (answer !== 'minting') return answer
    const leftMs = deadline - deps.clock.now()
    if (leftMs > 0) await createDoorbell(deps.clock).wait(Math.min(waitMs, leftMs), signal)
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

/** What the ledger has for a runner that was not here a moment ago; null: it may be given a job. */
async function introduce(runner: Runner, deps: DispatchDeps): Promise<PollAnswer | 'minting' | null> {
  const { ledger } = deps
  const [said, open] = await Promise.all([ledger.polled(runner.id), ledger.openAttempt(runner.id)])
  // A runner that holds an attempt is no longer polling for the ledger, but may have lost our answer.
  if (open !== null) return resume(open, deps)
  return said === 'leave' ? { kind: 'leave' } : null
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
        // It looks as soon as a mint may go: nothing is claimed that would wait for the forge's limit.
        await waiter.wait(Math.min(turnInMs, Math.max(0, deadline - clock.now())), signal)
        if (waiter.isDoubted() || clock.now() >= deadline) break
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
    if (waiter.isDoubted()) break
    if (clock.now() >= deadline) {
      waiter.expect()
      break
    }
    mustLook = waiter.hasNews()
  }
  return { kind: 'nothing' }
}

/** One look at the queue; null: there is nothing in it. `refused`: what there was came to nothing. */
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
  tellWait(result.claim, deps)
  return (await serve(result.claim, deps)) ?? 'refused'
}

function tellWait({ attempt, job }: Claim, { metrics }: DispatchDeps): void {
  metrics.observe(
    'holdfast_job_wait_seconds',
    { pool: job.pool ?? '' },
    (attempt.claimedAt - job.seenAt) / 1000,
  )
}

/** What an earlier poll of this runner led to. */
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
