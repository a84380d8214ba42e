import type { DeathClass, DeathFacts, Verdict } from '../../record.ts'
import { anEnd } from '../../testing.ts'

/** For tests: facts under which a rule fires, and the same but for the fact that it goes by. */
export interface RuleCase {
  readonly rule: string
  readonly fires: Facts
  readonly class: DeathClass
  readonly confidence: Verdict['confidence']
  readonly not: Facts
  /** What the end is then. */
  readonly otherwise: DeathClass
  /** Of a rule that may prove: what comes nearest to its evidence without its cause; it is never proven. */
  readonly impostor?: Impostor
}

export interface Impostor {
  readonly how: string
  readonly facts: Facts
  /** What it is called instead, or with less confidence. */
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
