import {
  type FailedRunnersFacts,
  type FailedRunnersScope,
  type Remedy,
  selectFailed,
} from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { runnerCandidates } from '../runner/runner-candidates.ts'
import { type RunnerSources, runnerRemoval } from '../runner/runner-treatment.ts'
import type { Treatment } from '../treatment.ts'

/** `fix failed-runners` on a cluster and a forge. */
export function failedRunnersTreatment(
  remedy: Remedy<FailedRunnersFacts>,
  sources: RunnerSources,
): Treatment<FailedRunnersFacts> {
  const { toDo, ...removal } = runnerRemoval(sources)
  return {
    remedy,
    ...removal,
    texts: {
      toDo,
      done: 'the cluster took its deletion on',
      verified: 'removed, its slot is free, and no job lost',
      proven: 'the slots are free, and no runner made since has failed',
    },
  }
}

/** Judges the sets, and plans which failed runners may go. */
export async function planFailedRunners(
  remedy: Remedy<FailedRunnersFacts>,
  { sets }: Pick<FailedRunnersScope, 'sets'>,
  deps: RemedyDeps & RunnerSources,
  signal: AbortSignal,
): Promise<Planned<FailedRunnersFacts>> {
  const known: string[] = []
  const candidates = await runnerCandidates(
    sets,
    async (reading) => {
      // Also those that are being deleted: only one that nobody has seen yet shows that the cause persists.
      known.push(...reading.runners.filter(({ phase }) => phase === 'Failed').map(keyOf))
      return selectFailed(reading).map(({ runner, isChosen, why }) => ({
        runner,
        added: isChosen ? {} : null,
        why,
      }))
    },
    deps,
    signal,
  )
  const scope = { sets, known }
  return planRemedy(failedRunnersTreatment(remedy, deps), { ...candidates, scope }, deps, signal)
}
