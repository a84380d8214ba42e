import {
  type CredentialReading,
  type GateResult,
  judgeAccepted,
  masked,
  type Remedy,
  reasonNotStuck,
  type StuckFinalizersFacts,
  type StuckFinalizersScope,
} from '../../domain/remedy/index.ts'
import { forgeHostOf, keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { runnerCandidates } from '../runner/runner-candidates.ts'
import { type StuckSources, stuckFinalizersTreatment } from './stuck-finalizers-treatment.ts'

/** Judges the runners whose deletion hangs, and plans at which of them ARC is to look at once. */
export async function planStuckFinalizers(
  remedy: Remedy<StuckFinalizersFacts>,
  scope: StuckFinalizersScope,
  deps: RemedyDeps & StuckSources,
  signal: AbortSignal,
): Promise<Planned<StuckFinalizersFacts>> {
  const refused: GateResult[] = []
  const candidates = await runnerCandidates(
    scope.sets,
    async ({ place, set, runners, at }, forgeScope) => {
      const choices = runners.flatMap((runner) => {
        if (runner.deletedAt === null) return []
        const reason = reasonNotStuck(runner, scope.minAgeMs, at)
        const why = reason ?? 'the forge refused its removal, and takes ARC’s credential again'
        return [{ runner, added: reason === null ? {} : null, why }]
      })
      if (forgeScope === null || choices.every(({ added }) => added === null)) return choices
      const { namespace } = place
      const secret = set?.credentialSecret ?? null
      const forgeHost = set === null ? null : forgeHostOf(set)
      const credential = await deps.credential.ask({ namespace, secret, forgeHost, forgeScope }, signal)
      const gate = gateOf(credential, place)
      if (gate.passed) return choices
      refused.push(gate)
      return []
    },
    deps,
    signal,
  )
  const gates = [...candidates.gates, ...refused]
  const treatment = stuckFinalizersTreatment(remedy, deps)
  return planRemedy(treatment, { ...candidates, gates, scope }, deps, signal)
}

/** A credential that is still dead stands in the plan as a gate that failed, once for its set. */
function gateOf(credential: CredentialReading, place: ObjectRef): GateResult {
  const { passed, proof } = judgeAccepted(credential, place)
  return { gate: 'credential-accepted', passed, proof: masked(`${keyOf(place)}: ${proof}`) }
}
