import type { ReapFacts, Remedy } from '../../domain/remedy/index.ts'
import { type RunnerSources, runnerRemoval } from '../runner/runner-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** `reap` on a cluster and a forge. */
export function reapTreatment(remedy: Remedy<ReapFacts>, sources: RunnerSources): Treatment<ReapFacts> {
  const { toDo, ...removal } = runnerRemoval(sources)
  return {
    remedy,
    ...removal,
    texts: {
      toDo,
      done: 'the cluster took its deletion on',
      verified: 'removed, and no job lost',
      proven: 'one generation, listener and set Running, no job lost',
    },
  }
}
