import type { Digest } from '../domain/canonical-json.ts'
import type { Actor } from '../domain/trail/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Trail } from '../ports/trail.ts'

/** The dependencies of the machine that plans and applies every remedy. */
export interface RemedyDeps {
  /** The cluster or machine that is connected: a plan of another is refused. */
  readonly site: string
  readonly trail: Trail
  readonly clock: Clock
  readonly digest: Digest
  readonly actor: Actor
  /** The Holdfast that plans. */
  readonly program: string
}
