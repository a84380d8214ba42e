import { HoldfastError } from '../../../src/domain/errors/index.ts'
import { headOf, problemsOf } from '../../../src/domain/trail/index.ts'
import type { RemedyCluster, RemedyForge } from '../../../src/ports/remedy.ts'
import type { Trail } from '../../../src/ports/trail.ts'
import { digest, leakingWorld, type RemedyWorld } from '../../../src/remedy/testing/world.ts'
import type { Violation } from '../checkers.ts'
import type { History } from '../history.ts'
import type { Life } from '../life.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import { checkActs } from './checks.ts'
import { faults, type Happening, happenings } from './happenings.ts'

/** A fleet of ARC next to our own pools, and the trail, as one process of Holdfast sees them. */
export interface ForeignSide {
  readonly cluster: RemedyCluster
  readonly forge: RemedyForge
  /** Of the runs that have the lock. */
  readonly trail: Trail
  lock(): Promise<AsyncDisposable>
}

/** The foreign fleet itself, which outlives every process. */
export interface ForeignFleet {
  openFor(life: Life): ForeignSide
  /** From now on it changes, for so long. */
  begin(wildMs: number): void
  check(): Violation | null
  checkRest(): Violation | null
  /** Runners that were removed. */
  removed(): number
}

interface Run {
  readonly life: Life
  readonly token: number
}

const runners = 5
const hourMs = 60 * 60_000
/** Chance of a change right before a call: between any two steps of a run. */
const betweenSteps = 0.15
const everyMs = { from: 500, to: 12_000 } as const
const faultyCalls = 0.03
/** Chance of each of these times that a person looks, who ends what was escalated. */
const personLooks = 0.05
/** Chance that the connection of a process that stands still is gone, and with it its lock. */
const sessionLost = 0.5

/** One scale set with idle runners that outlive the demand, its controller, its listener and its forge. */
export function createForeignFleet({
  random,
  scheduler,
  history,
  onPerson,
}: {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly history: History
  readonly onPerson: () => Promise<void>
}): ForeignFleet {
  const world = leakingWorld(runners)
  world.now = scheduler.now()
  for (const name of world.runners.keys()) world.change(name, { createdAt: scheduler.now() - 2 * hourMs })
  let wildUntil = 0
  let made = runners
  const happen = (among: Readonly<Record<string, Happening>>) => {
    const what = random.pick(Object.keys(among))
    const name = random.pick([...world.runners.keys(), 'r1'])
    made += 1
    among[what]?.(world, name, `r${made}`)
    history.note('arc', `${what}: ${name}`)
  }
  world.disturb = () => {
    world.now = scheduler.now()
    if (scheduler.now() >= wildUntil) return
    if (random.chance(betweenSteps)) happen(happenings)
    if (random.chance(faultyCalls)) happen(faults)
  }
  const reconcileSoon = () => {
    scheduler.after(random.between(everyMs.from, everyMs.to), () => {
      world.now = scheduler.now()
      world.reconcile()
      if (scheduler.now() < wildUntil) happen(happenings)
      if (random.chance(personLooks)) void onPerson()
      reconcileSoon()
    })
  }
  const lock = createLock(random, scheduler, history)
  let operators = 0
  let actsNoted = 0
  return {
    openFor(life) {
      operators += 1
      const { cluster, forge, trail } = world.depsOf(operators)
      let own: Run | null = null
      return {
        cluster,
        forge,
        trail: {
          ...trail,
          append(entry) {
            lock.mustHold(own)
            return trail.append(entry)
          },
        },
        async lock() {
          own = lock.take(life)
          return { [Symbol.asyncDispose]: async () => lock.release(own) }
        },
      }
    },
    begin(wildMs) {
      wildUntil = scheduler.now() + wildMs
      reconcileSoon()
    },
    check() {
      for (const { name } of world.acts.slice(actsNoted)) history.note('arc', `${name} is being deleted`)
      if (world.acts.length === actsNoted && world.lostJobs.length === 0) return null
      actsNoted = world.acts.length
      return checkActs(world)
    },
    checkRest: () => checkActs(world) ?? checkTrail(world),
    removed: () => world.acts.length,
  }
}

/** The lock of remedies, as the ledger has it: it ends with the session of its holder, and an earlier run is fenced. */
function createLock(random: Random, scheduler: Scheduler, history: History) {
  let holder: Run | null = null
  let token = 0
  const isHeld = ({ life }: Run) =>
    life.alive && (life.pausedUntil <= scheduler.now() || !random.chance(sessionLost))
  return {
    take(life: Life): Run {
      if (holder !== null && isHeld(holder))
        throw new HoldfastError('E_REMEDY_BUSY', { place: 'the ledger', holder: holder.life.name })
      if (holder !== null) history.note('arc', `the lock of ${holder.life.name} is gone`)
      token += 1
      holder = { life, token }
      return holder
    },
    release(run: Run | null): void {
      if (holder === run) holder = null
    },
    mustHold(run: Run | null): void {
      if (run?.token !== token) throw new HoldfastError('E_REMEDY_FENCED', { place: 'the ledger' })
    },
  }
}

/** The trail holds: each row follows the one before it. */
function checkTrail({ trail }: RemedyWorld): Violation | null {
  const [problem] = problemsOf(trail.kept, headOf(trail.kept), digest)
  return problem === undefined ? null : { invariant: 'R3', what: `the trail does not hold: ${problem}` }
}
