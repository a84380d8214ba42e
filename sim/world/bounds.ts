import {
  type Bound,
  type BoundedKind,
  boundedKinds,
  type RecoveryBounds,
  recoveryBounds,
  rules,
} from '../../src/domain/recovery/index.ts'
import type { DecisionRow } from '../../src/ports/ledger.ts'
import type { Violation } from '../invariants/index.ts'
import { allDecisions, type State } from './ledger/index.ts'
import { createRandom } from './random.ts'

/** How the histories that have tight bounds differ from the others. */
export interface DrawnBounds {
  readonly bounds: RecoveryBounds
  /** Bounded decisions are made one after the other, so it takes longer until everything is at rest. */
  readonly restFactor: number
}

/** So short that what is held back is done within the rest of a history. */
const tightWindowMs = 3 * 60_000
const tightHoldMs = 20_000
const tightRestFactor = 3
/** The few runners of a history meet a bound that no table would have. */
const tightMost = 1

/** In four of ten histories almost nothing may be done in a window. */
export function drawBounds(seed: number, isCalm: boolean): DrawnBounds {
  const random = createRandom(seed).fork('bounds')
  if (isCalm || !random.chance(0.4)) return { bounds: recoveryBounds, restFactor: 1 }
  const tight: Bound = { atLeast: tightMost, share: 0, perNode: tightMost, why: 'a history' }
  const of = Object.fromEntries(boundedKinds.map((kind) => [kind, tight])) as RecoveryBounds['of']
  return { bounds: { windowMs: tightWindowMs, holdMs: tightHoldMs, of }, restFactor: tightRestFactor }
}

/** I10: no window has more decisions than its bound allows, over all processes; judged by the effect of each. */
export function checkBounds(rows: Readonly<State>, { windowMs, of }: RecoveryBounds): Violation | null {
  const decisions = allDecisions(rows).toSorted((a, b) => a.at - b.at)
  for (const kind of boundedKinds) {
    const done = decisions.filter((decision) => doneBy(decision) === kind)
    // A share is of a fleet that changes: no history has so many runners that one of the table's matters.
    const allowed = of[kind].atLeast
    for (const { at } of done) {
      const within = done.filter((other) => other.at > at - windowMs && other.at <= at)
      const runners = new Set(within.map((decision) => whom(decision, kind))).size
      if (runners > allowed)
        return { invariant: 'I10', what: `${kind} was done to ${runners} runners in ${windowMs} ms` }
    }
  }
  return null
}

/** Whether an act was held back by a bound. */
export function isHeld({ actions }: DecisionRow): boolean {
  return actions.some(({ kind }) => kind === 'hold')
}

const tableRules: readonly string[] = rules.map(({ name }) => name)

function whom({ jobId, runnerId, facts }: DecisionRow, kind: BoundedKind): unknown {
  return kind === 'close-gone'
    ? jobId
    : (runnerId ?? (facts.hosted as { readonly name?: string } | undefined)?.name)
}

function doneBy({ rule, actions, outcome }: DecisionRow): BoundedKind | null {
  if (rule === 'start-given-up') return outcome === 'leaving' ? 'give-up-start' : null
  if (rule === 'orphaned-stamped-pod') return outcome === 'abandoned' ? 'abandon-stray' : null
  if (outcome === null || !tableRules.includes(rule)) return null
  if (actions.some(({ kind, evenIfStarted }) => kind === 'stop-runner' && evenIfStarted === true))
    return outcome.includes('stop-runner: asked') ? 'stop-started' : null
  if (outcome.includes('seal-lost: sealed')) return 'give-up'
  if (outcome.includes('close-job: closed')) return 'close-gone'
  if (rule === 'disowned-run' && outcome.includes('end-attempt: ok')) return 'disown'
  return outcome.includes('fence: fenced') ? 'fence' : null
}
