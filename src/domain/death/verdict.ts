import type { DeathClass, DeathFacts, DeathRecord } from './record.ts'

/** The result of one rule. */
export interface Finding {
  readonly class: DeathClass
  readonly confidence: DeathRecord['confidence']
  readonly because: readonly string[]
  /** In addition to the causes that are ruled out for every end; see ruled-out.ts. */
  readonly ruledOut?: readonly string[]
  readonly unknown?: readonly string[]
}

/** The argument why nothing else can have left the evidence on which a rule says `proven`. */
export interface ProofArgument {
  readonly argument: string
  /**
   * The source that it rests on. The evidence about a local runner lies in files that its job can write: there, only
   * the forge proves anything.
   */
  readonly rests: 'cluster' | 'forge'
}

/** A row of the decision table for ends; docs/reference/deaths.md is generated from it. */
export interface DeathRule {
  readonly name: string
  /** Every class that the rule may give. */
  readonly gives: readonly DeathClass[]
  readonly means: string
  readonly needs: string
  readonly mustNotConclude: string
  readonly nextSteps: readonly string[]
  /** Absent for a rule that says likely at most. */
  readonly proof?: ProofArgument
  readonly fires: (facts: DeathFacts) => Finding | null
}

export function proven(deathClass: DeathClass, ...because: readonly string[]): Finding {
  return { class: deathClass, confidence: 'proven', because }
}

export function likely(deathClass: DeathClass, ...because: readonly string[]): Finding {
  return { class: deathClass, confidence: 'likely', because }
}

/** A finding that fits, without evidence that can be trusted. */
export function unsure(deathClass: DeathClass, ...because: readonly string[]): Finding {
  return { class: deathClass, confidence: 'unknown', because }
}
