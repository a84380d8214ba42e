import type { DeathClass, DeathFacts, Verdict } from '../../record.ts'
import { anEnd } from '../../testing.ts'

/** For tests: facts under which a rule fires, and the same without the fact that decides. */
export interface RuleCase {
  readonly rule: string
  readonly fires: Facts
  readonly class: DeathClass
  readonly confidence: Verdict['confidence']
  readonly not: Facts
  /** The class without that fact. */
  readonly otherwise: DeathClass
  /** For a rule that may prove: the nearest evidence with another cause, which is never proven. */
  readonly impostor?: Impostor
}

interface Impostor {
  readonly how: string
  readonly facts: Facts
  /** The class that it gets instead, or the same with less confidence. */
  readonly class: DeathClass
}

export interface Facts extends Partial<Omit<DeathFacts, 'ending'>> {
  readonly ending?: Parameters<typeof anEnd>[0] | null
}

export function factsOf({ ending, job = null, ring = null }: Facts): DeathFacts {
  return { ending: ending === null ? null : anEnd(ending), job, ring }
}

export const exit = (exitCode: number) => ({ exitCode })
export const killed = { signal: 'SIGKILL' }
