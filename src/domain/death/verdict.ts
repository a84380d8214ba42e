import type { DeathClass, DeathRecord, Ending } from './record.ts'

export interface Verdict {
  readonly class: DeathClass
  readonly confidence: DeathRecord['confidence']
  readonly because: readonly string[]
}

export interface DeathRule {
  readonly name: string
  readonly fires: (ending: Ending) => Verdict | null
}

export function proven(deathClass: DeathClass, ...because: string[]): Verdict {
  return { class: deathClass, confidence: 'proven', because }
}

export function likely(deathClass: DeathClass, ...because: string[]): Verdict {
  return { class: deathClass, confidence: 'likely', because }
}

/** A launcher that passes a signal on exits with 128 + its number. */
export function endedBy({ signal, exitCode }: Ending, name: string, number: number): boolean {
  return signal === name || exitCode === 128 + number
}
