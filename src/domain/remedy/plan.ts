import { canonicalJson, type Digest } from '../canonical-json.ts'
import type { ObjectRef } from '../snapshot/index.ts'
import type { Instant } from '../time.ts'
import type { GateResult } from './gate.ts'

/** Of the plan's form; a plan of another form is refused. */
export const planVersion = 1

/** One object that a plan treats, in exactly the state in which it was judged; each remedy adds what its gates and act need. */
export interface PlannedObject extends ObjectRef {
  readonly kind: string
  readonly uid: string
  readonly resourceVersion: string
  readonly why: string
  /** The facts by which it was chosen, masked: sealed with the plan's hash. */
  readonly evidence: readonly string[]
}

/** An object that the plan leaves alone, and why. */
export interface SkippedObject extends ObjectRef {
  readonly why: string
}

/** A dry run: everything that an approval approves. Its hash is the approval's name. */
export interface Plan<
  Name extends string = string,
  Scope = unknown,
  Target extends PlannedObject = PlannedObject,
> {
  readonly version: typeof planVersion
  readonly remedy: Name
  readonly program: string
  /** The cluster or machine that it is about. */
  readonly site: string
  readonly scope: Scope
  /** When the oldest of its facts was read. */
  readonly observedAt: Instant
  readonly plannedAt: Instant
  /** Later it is refused: its facts are too old to be acted on. */
  readonly expiresAt: Instant
  readonly gates: readonly GateResult[]
  readonly objects: readonly Target[]
  readonly skipped: readonly SkippedObject[]
}

/** The hash over everything in the plan. */
export function planHash(plan: Plan, digest: Digest): string {
  return digest(canonicalJson(plan))
}
