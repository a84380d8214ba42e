import type { Stage } from './stage.ts'

/** Something that a cluster can be in, really made in a namespace of its own. */
export interface Situation {
  /** Also the end of its namespace's name. */
  readonly name: string
  readonly how: string
  /** Classes that must be found, by any audit; none: it is healthy, or a near miss. */
  readonly classes: readonly string[]
  /** Classes that are true as well, and may be found or not, by the age that it has when it is read. */
  readonly accepted?: readonly string[]
  /** Makes it, and waits until the cluster shows it. */
  make(stage: Stage): Promise<void>
}
