import { shareOut } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { done, type Loop, type Outcome, requeueAfter } from '../../../loop/index.ts'
import type {
  DeathLedger,
  LedgerClock,
  PoolLedger,
  RunnerLedger,
  RunnerReader,
} from '../../../ports/ledger.ts'
import { adopt, createStarter, type Starter, type StarterDeps } from '../provision/index.ts'
import { createEnrolment, type Enrolment, type EnrolmentDeps, enrolledAtOnceMax } from './enrolment.ts'
import { createShrinker, type ShrinkDeps, type Shrinker } from './shrink.ts'
import { type Survey, type Surveyed, survey } from './survey.ts'

export interface ScaleDeps extends StarterDeps, EnrolmentDeps, ShrinkDeps {
  readonly ledger: LedgerClock & PoolLedger & RunnerLedger & RunnerReader & DeathLedger
  readonly host: StarterDeps['host']
}

/** How often pools are scaled without a wake-up: wake-ups may be lost. */
const resyncMs = 30_000
/** While jobs wait or there is a surplus: no wake-up says that a job left the queue, or became due. */
const unsettledLookMs = 3_000
/** While more runners are wanted than may boot at a time: no wake-up says that a runner became ready. */
const bootLookMs = 500
/** A burst of jobs makes one pass, not one for each. */
const gapMs = 50
/** A thousand runners that end one by one make a few passes, and do not keep the ledger busy with counts. */
const restFactor = 2

interface Parts {
  readonly starter: Starter
  readonly enrolment: Enrolment
  readonly shrinker: Shrinker
}

/**
 * Keeps each pool at the number of runners that its queue needs: up at once, down after a while. Where an input cannot be
 * read the number stays as it is.
 */
export function scaleLoop(deps: ScaleDeps): Loop {
  const starter = createStarter(deps)
  const parts = { starter, enrolment: createEnrolment(deps), shrinker: createShrinker(deps, starter) }
  let isFresh = true
  return {
    name: 'pool-scale',
    resyncMs,
    gapMs,
    restFactor,
    wokenBy: (wake) => wake.kind === 'jobs' || wake.kind === 'recovery', // a job was enqueued, or a runner left
    subscribe: (notify) => starter.onRoom(notify),
    async pass() {
      if (isFresh) {
        if ((await parts.enrolment.announce()) === 'deposed') return done
        starter.add(await adopt(deps, deps.clock.now()))
        isFresh = false
      }
      return reconcile(deps, parts)
    },
    async ended() {
      isFresh = true
      await Promise.all([starter.shutDown(), parts.shrinker.shutDown()])
    },
  }
}

async function reconcile(deps: ScaleDeps, { starter, enrolment, shrinker }: Parts): Promise<Outcome> {
  const repeated = await enrolment.repeat()
  if (repeated === 'deposed') return done
  starter.add(repeated)
  const surveyed = await survey(deps, deps.clock.now())
  const wanted = shares(surveyed, starter)
  const starts = await enrolment.enrol(wanted)
  if (starts === 'deposed') return done
  starter.add(starts)
  const shrinkAt = await shrinker.shrink(surveyed)
  const now = deps.clock.now()
  const unknownAt = surveyed.unknown.length > 0 ? now + unsettledLookMs : null
  const waits = [shrinkAt, unknownAt, ...surveyed.pools.map((one) => lookAt(one, starter, now))]
  const soonest = Math.min(now + resyncMs, ...waits.filter((at) => at !== null))
  return requeueAfter(Math.max(0, soonest - now))
}

/** The runners to enrol now: as many as each pool may start and its starter takes, in one transaction. */
function shares({ pools }: Survey, starter: Starter): Parameters<Enrolment['enrol']>[0] {
  const wants = pools.map(({ pool, mayStart }) => Math.min(mayStart, starter.allowance(pool.name)))
  const given = shareOut(wants, enrolledAtOnceMax)
  return pools.map(({ pool }, index) => ({ pool, count: given[index] ?? 0 }))
}

/** When a pool needs another pass. */
function lookAt(
  { pool, counts, plan, waitsForBoots, nextChangeAt }: Surveyed,
  starter: Starter,
  now: Instant,
) {
  const waits: Instant[] = []
  if (nextChangeAt !== null) waits.push(nextChangeAt)
  if (counts.queued > 0 || plan.surplus > 0 || plan.start > 0) waits.push(now + unsettledLookMs)
  if (waitsForBoots) waits.push(now + bootLookMs)
  const pausedUntil = starter.pausedUntil(pool.name)
  if (plan.start > 0 && pausedUntil !== null && pausedUntil > now) waits.push(pausedUntil)
  return waits.length === 0 ? null : Math.min(...waits)
}
