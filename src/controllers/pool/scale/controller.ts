import { type Pool, planScale } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { again, done, type Loop, type Outcome } from '../../../loop/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Cause, Ledger, PoolCounts } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { RunnerHost } from '../../../ports/runner-host.ts'
import type { Secrets } from '../../../ports/secrets.ts'

export interface ScaleDeps {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly ledger: Ledger
  readonly host: RunnerHost
  readonly secrets: Secrets
  readonly log: Log
  readonly bootDeadlineMs: number
  readonly stopGraceMs: number
  /** Surplus runners are removed only after the surplus lasted this long. */
  readonly surplusAfterMs: number
}

const sweepMs = 3_000
/** Starts of one pool in one pass (I10): a burst is met over a few passes, and a failing start does not storm. */
const startsPerPassMax = 8
const nextBatchMs = 250
const cause: Cause = { source: 'scale' }
/** A start that was begun is seen through, so that a shutdown finds every runner where it looks for them. */
const seenThrough = new AbortController().signal

/** Keeps each pool at the number of runners that its queue needs. An error in the counts leaves the number as it is. */
export function scaleLoop(deps: ScaleDeps): Loop {
  const surplusSince = new Map<string, Instant>()
  return {
    name: 'pool-scale',
    sweepMs,
    wokenBy: (wake) => wake.kind === 'jobs' || wake.kind === 'recovery', // a job came, or a runner went
    pass: (signal) => reconcile(deps, surplusSince, signal),
  }
}

async function reconcile(
  deps: ScaleDeps,
  surplusSince: Map<string, Instant>,
  signal: AbortSignal,
): Promise<Outcome> {
  const pools = await deps.ledger.pools()
  const counts = new Map((await deps.ledger.counts()).map((row) => [row.pool, row]))
  let more = false
  for (const pool of pools) {
    const count = counts.get(pool.name)
    if (count === undefined) continue
    const plan = planScale(needOf(pool, count))
    const starts = Math.min(plan.start, startsPerPassMax)
    for (let n = 0; n < starts && !signal.aborted; n += 1) await startRunner(pool, deps)
    more ||= plan.start > starts
    await shrink(pool, plan.surplus, deps, surplusSince)
  }
  return more ? again(nextBatchMs) : done
}

function needOf(pool: Pool, { dispatchable, runners }: PoolCounts) {
  return {
    dispatchable,
    idle: runners.booting + runners.polling,
    occupied: runners.claimed + runners.busy + runners.fenced,
    minWarm: pool.minWarm,
    maxRunners: pool.maxRunners,
  }
}

/** The row is written before the process exists: a crash in between leaves a row that the deadline resolves. */
async function startRunner(pool: Pool, deps: ScaleDeps): Promise<void> {
  const suffix = Array.from(deps.entropy.bytes(4), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const name = `${pool.name}-${suffix}`
  const { secret, hash } = deps.secrets.create()
  await deps.ledger.enrol(
    { name, pool: pool.name, host: deps.host.id, identityHash: hash, bootDeadlineMs: deps.bootDeadlineMs },
    cause,
  )
  await deps.host.start({ name, pool: pool.name, secret }, seenThrough)
  deps.log.debug({ runner: name, pool: pool.name }, 'runner started')
}

async function shrink(
  pool: Pool,
  surplus: number,
  deps: ScaleDeps,
  surplusSince: Map<string, Instant>,
): Promise<void> {
  if (surplus === 0) {
    surplusSince.delete(pool.name)
    return
  }
  const since = surplusSince.get(pool.name) ?? deps.clock.now()
  surplusSince.set(pool.name, since)
  if (deps.clock.now() - since < deps.surplusAfterMs) return
  const idle = (await deps.ledger.runners(0))
    .filter(
      (runner) => runner.pool === pool.name && runner.host === deps.host.id && runner.state === 'polling',
    )
    .sort((a, b) => a.createdAt - b.createdAt)
  for (const runner of idle.slice(0, surplus)) {
    // Fenced first: the server grants it no job any more, so nothing alive is stopped (refused: it just got one).
    if ((await deps.ledger.fence(runner.id, 'more runners than needed', cause)) === 'refused') continue
    await deps.host.stop(runner.name, 'more runners than needed', deps.stopGraceMs)
  }
  surplusSince.delete(pool.name)
}
