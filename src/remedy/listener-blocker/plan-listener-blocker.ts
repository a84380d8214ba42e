import {
  blockersOf,
  type ForgeReading,
  type ListenerBlockerFacts,
  type ListenerBlockerScope,
  type Remedy,
  reasonNotBlocking,
} from '../../domain/remedy/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { runnerCandidates } from '../runner/runner-candidates.ts'
import { type RunnerSources, runnerRemoval } from '../runner/runner-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** `fix listener-blocker` on a cluster and a forge, which is asked about every runner that keeps the listener away. */
export function listenerBlockerTreatment(
  remedy: Remedy<ListenerBlockerFacts>,
  sources: RunnerSources,
): Treatment<ListenerBlockerFacts> {
  const { toDo, readFresh, ...removal } = runnerRemoval(sources)
  const { cluster, forge } = sources
  return {
    remedy,
    ...removal,
    async readFresh(planned, signal) {
      const others = blockersOf(await cluster.readSet(planned.scaleSet, signal))
      const answers: Record<string, ForgeReading> = {}
      for (const { name } of others)
        if (name !== planned.name) answers[name] = await forge.readRunner(planned.forgeScope, name, signal)
      const fresh = await readFresh(planned, signal)
      const oldest = Math.min(fresh.sources.forge, ...Object.values(answers).map(({ at }) => at))
      answers[planned.name] = fresh.forge
      return { ...fresh, sources: { ...fresh.sources, forge: oldest }, answers }
    },
    texts: {
      toDo,
      done: 'the cluster took its deletion on',
      verified: 'removed, and no job lost',
      proven: 'ARC has made the listener again, and it runs; no job lost',
    },
  }
}

/** Judges the sets without a listener, and plans which idle runners go. */
export async function planListenerBlocker(
  remedy: Remedy<ListenerBlockerFacts>,
  { sets }: Pick<ListenerBlockerScope, 'sets'>,
  deps: RemedyDeps & RunnerSources,
  signal: AbortSignal,
): Promise<Planned<ListenerBlockerFacts>> {
  const known: string[] = []
  const candidates = await runnerCandidates(
    sets,
    async (reading) => {
      known.push(...reading.runners.map(({ uid }) => uid))
      return reading.runners.map((runner) => {
        const reason = reasonNotBlocking(reading, runner)
        const why = reason ?? 'ARC waits for its end before it makes the listener again'
        return { runner, added: reason === null ? {} : null, why }
      })
    },
    deps,
    signal,
  )
  const scope = { sets, known }
  return planRemedy(listenerBlockerTreatment(remedy, deps), { ...candidates, scope }, deps, signal)
}
