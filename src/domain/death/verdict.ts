import type { DeathClass, DeathFacts, DeathRecord } from './record.ts'

/** What one rule says. */
export interface Finding {
  readonly class: DeathClass
  readonly confidence: DeathRecord['confidence']
  readonly because: readonly string[]
  /** Beside what can be said for every end; see beside.ts. */
  readonly ruledOut?: readonly string[]
  readonly unknown?: readonly string[]
}

/** Why nothing else can have left the evidence on which a rule says `proven`. */
export interface Proof {
  readonly argument: string
  /**
   * Whose word it rests on. What is known of a runner of this machine lies in files that its job can write: of such a
   * runner only the forge's word proves anything.
   */
  readonly rests: 'cluster' | 'forge'
}

/** A row of the table by which ends are judged; docs/reference/deaths.md is made of these. */
export interface DeathRule {
  readonly name: string
  /** Every class that it may give. */
  readonly gives: readonly DeathClass[]
  readonly means: string
  readonly needs: string
  readonly mustNotConclude: string
  readonly nextSteps: readonly string[]
  /** Absent: it is likely at most, whatever it finds. */
  readonly proof?: Proof
  readonly fires: (facts: DeathFacts) => Finding | null
}

export function proven(deathClass: DeathClass, ...because: readonly string[]): Finding {
  return { class: deathClass, confidence: 'proven', because }
}

export function likely(deathClass: DeathClass, ...because: readonly string[]): Finding {
  return { class: deathClass, confidence: 'likely', because }
}

/** It fits, and nothing that can be believed says so. */
export function unsure(deathClass: DeathClass, ...because: readonly string[]): Finding {
  return { class: deathClass, confidence: 'unknown', because }
}
