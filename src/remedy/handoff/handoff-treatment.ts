import type { HandoffFacts, Remedy } from '../../domain/remedy/index.ts'
import { type RunnerSources, runnerRemoval } from '../runner/runner-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** `fix handoff` on a cluster and a forge, which is also asked about the job that waits. */
export function handoffTreatment(
  remedy: Remedy<HandoffFacts>,
  sources: RunnerSources,
): Treatment<HandoffFacts> {
  const { toDo, readFresh, readAfter, ...removal } = runnerRemoval(sources)
  const { forge } = sources
  return {
    remedy,
    ...removal,
    async readFresh(planned, signal) {
      const next = await forge.readJob(planned.next, signal)
      const fresh = await readFresh(planned, signal)
      return { ...fresh, sources: { ...fresh.sources, queue: next.at }, next }
    },
    async readAfter(planned, signal) {
      const after = await readAfter(planned, signal)
      return { ...after, next: await forge.readJob(planned.next, signal) }
    },
    texts: {
      toDo,
      done: 'the cluster took its deletion on',
      verified: 'removed, and the job that waited has started',
      proven: 'the job that waited has started, and the listener runs',
    },
  }
}
