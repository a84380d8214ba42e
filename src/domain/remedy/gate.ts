import { redactText } from '../redact/index.ts'

const proofCharsMax = 500

/** The answer of one gate, with the raw facts that it rests on. */
export interface GateResult {
  readonly gate: string
  readonly passed: boolean
  /** Facts as they were read, masked. */
  readonly proof: string
}

/** One condition. A gate that cannot be judged does not pass: what is unknown never leads to an act. */
export interface Gate<Facts> {
  readonly name: string
  /** Why it is there, for the page of the remedy. */
  readonly why: string
  judge(facts: Facts): Verdict
}

export interface Verdict {
  readonly passed: boolean
  readonly proof: string
}

/** Every gate is asked, so that a person sees all that is wrong at once. */
export function judgeGates<Facts>(gates: readonly Gate<Facts>[], facts: Facts): readonly GateResult[] {
  return gates.map(({ name, judge }) => {
    const { passed, proof } = judge(facts)
    return { gate: name, passed, proof: masked(proof) }
  })
}

export function failedOf(results: readonly GateResult[]): readonly GateResult[] {
  return results.filter(({ passed }) => !passed)
}

/** Gates and their facts in one line. */
export function gatesText(results: readonly GateResult[]): string {
  return results.map(({ gate, proof }) => `${gate} (${proof})`).join('; ')
}

/** Texts of the cluster and the forge, without secrets and bounded. */
export function masked(text: string): string {
  return redactText(text, proofCharsMax)
}

export function pass(proof: string): Verdict {
  return { passed: true, proof }
}

export function fail(proof: string): Verdict {
  return { passed: false, proof }
}
