import { shareOut } from '../../../domain/pool/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { again, done, type Loop, type Outcome } from '../../../loop/index.ts'
import { adopt, createStarter, type Starter, type StarterDeps } from '../provision/index.ts'
import { createEnrolment, type Enrolment, type EnrolmentDeps, enrolledAtOnceMax } from './enrolment.ts'
import { createShrinker, type ShrinkDeps, type Shrinker } from './shrink.ts'
import { type Survey, type Surveyed, survey } from './survey.ts'

export interface ScaleDeps extends StarterDeps, EnrolmentDeps, ShrinkDeps {
  readonly host: StarterDeps['host']
}

/** Wake-ups may be lost: so often it is looked at all the same. */
const sweepMs = 30_000
/** While jobs wait or runners are too many: the ledger does not tell of a job that left the queue, or became due. */
const unsettledLookMs = 3_000
/** Where more are wanted than may boot at a time: the ledger does not tell of a runner that became ready. */
const bootLookMs = 500
/** A burst of jobs is one pass, not one for each. */
const gapMs = 50
/** A thousand runners that end one after the other are some looks, and do not keep the ledger busy with counting. */
const restFactor = 2

interface Parts {
  readonly starter: Starter
  readonly enrolment: Enrolment
  readonly shrinker: Shrinker
}

/**
 * Keeps each pool at the number of runners that its queue needs: up at once, down after a while. An error in what
 * it goes by leaves the number as it is.
 */
export function scaleLoop(deps: ScaleDeps): Loop {
  const starter = createStarter(deps)
  const parts = { starter, enrolment: createEnrolment(deps), shrinker: createShrinker(deps, starter) }
  let isFresh = true
  return {
    name: 'pool-scale',
    ...{ sweepMs, gapMs, restFactor },
    wokenBy: (wake) => wake.kind === 'jobs' || wake.kind === 'recovery', // a job came, or a runner went
    listen: (ring) => starter.onRoom(ring),
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
      await Promise.all([starter.dismiss(), parts.shrinker.dismiss()])
    },
  }
}

async function reconcile(deps: ScaleDeps, { starter, enrolment, shrinker }: Parts): Promise<Outcome> {
  const repeated = await enrolment.repeat()
  if (repeated === 'deposed') return done
  starter.add(repeated)
  const seen = await survey(deps, deps.clock.now())
  const wanted = shares(seen, starter)
  const starts = await enrolment.enrol(wanted)
  if (starts === 'deposed') return done
  starter.add(starts)
  const shrinkAt = await shrinker.shrink(seen)
  const now = deps.clock.now()
  const unknownAt = seen.unknown.length > 0 ? now + unsettledLookMs : null
  const waits = [shrinkAt, unknownAt, ...seen.pools.map((one) => lookAt(one, starter, now))]
  const soonest = Math.min(now + sweepMs, ...waits.filter((at) => at !== null))
  return again(Math.max(0, soonest - now))
}

/** What is enrolled now: what each pool may start and its starter takes, in one transaction. */
function shares({ pools }: Survey, starter: Starter): Parameters<Enrolment['enrol']>[0] {
  const wants = pools.map(({ pool, mayStart }) => Math.min(mayStart, starter.allowance(pool.name)))
  const given = shareOut(wants, enrolledAtOnceMax)
  return pools.map(({ pool }, index) => ({ pool, count: given[index] ?? 0 }))
}

/** When a pool needs another look. */
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
