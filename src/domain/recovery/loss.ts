import { type DeathRecord, plainVerdict } from '../death/index.ts'

/** Why a runner is given up whose end nobody can see. */
export interface Loss {
  readonly class: 'node-lost' | 'host-lost' | 'never-started' | 'unknown'
  readonly because: readonly string[]
}

/** The record of such an end: incomplete, and it says so. */
export function lostRecord({ class: deathClass, because }: Loss): DeathRecord {
  const confidence = deathClass === 'unknown' ? 'unknown' : 'likely'
  const verdict = plainVerdict('given up', { class: deathClass, confidence, because })
  return { outcome: 'incomplete', ...verdict, ending: null, job: null, ring: null }
}
