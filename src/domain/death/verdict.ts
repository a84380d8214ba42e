import type { Ending } from './ending.ts'
import type { DeathClass, DeathRecord } from './record.ts'

/** What one rule says. */
export interface Finding {
  readonly class: DeathClass
  readonly confidence: DeathRecord['confidence']
  readonly because: readonly string[]
}

export interface DeathRule {
  readonly name: string
  readonly fires: (ending: Ending) => Finding | null
}

export function proven(deathClass: DeathClass, ...because: string[]): Finding {
  return { class: deathClass, confidence: 'proven', because }
}

export function likely(deathClass: DeathClass, ...because: string[]): Finding {
  return { class: deathClass, confidence: 'likely', because }
}

/** A launcher that passes a signal on exits with 128 + its number. */
export function endedBy({ signal, exitCode }: Ending, name: string, number: number): boolean {
  return signal === name || exitCode === 128 + number
}
