import { type DeathRecord, plainVerdict, type Silence } from '../death/index.ts'

/** Why a runner is given up whose end nobody can see. */
export interface Loss {
  readonly class: 'node-lost' | 'host-lost' | 'never-started' | 'unknown'
  readonly because: readonly string[]
  /** Where it is given up for that. */
  readonly silence?: Silence
}

/** The record of such an end: incomplete, and it says so. */
export function lostRecord({ class: deathClass, because, silence }: Loss): DeathRecord {
  const confidence = deathClass === 'unknown' ? 'unknown' : 'likely'
  const verdict = plainVerdict('given up', { class: deathClass, confidence, because })
  const silent = silence === undefined ? {} : { silence }
  return { outcome: 'incomplete', ...verdict, ...silent, ending: null, job: null, ring: null }
}
