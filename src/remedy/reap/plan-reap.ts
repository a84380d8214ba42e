import { type ReapFacts, type ReapScope, type Remedy, selectRunners } from '../../domain/remedy/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { runnerCandidates } from '../runner/runner-candidates.ts'
import type { RunnerSources } from '../runner/runner-treatment.ts'
import { reapTreatment } from './reap-treatment.ts'

/** Judges the sets, and plans which runners may go. */
export async function planReap(
  remedy: Remedy<ReapFacts>,
  scope: ReapScope,
  deps: RemedyDeps & RunnerSources,
  signal: AbortSignal,
): Promise<Planned<ReapFacts>> {
  const candidates = await runnerCandidates(
    scope.sets,
    async (reading) =>
      selectRunners(reading, scope, deps.clock.now()).map(({ runner, arm, why }) => ({
        runner,
        added: arm === null ? null : { arm },
        why,
      })),
    deps,
    signal,
  )
  return planRemedy(reapTreatment(remedy, deps), { ...candidates, scope }, deps, signal)
}
