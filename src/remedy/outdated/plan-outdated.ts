import { reasonOf } from '../../domain/reason.ts'
import {
  type GateResult,
  judgeRenewed,
  judgeStays,
  judgeTakenDown,
  masked,
  type OutdatedFacts,
  type OutdatedScope,
  type Remedy,
  type SetReading,
  type SkippedObject,
} from '../../domain/remedy/index.ts'
import { keyOf, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type OutdatedSources, outdatedTreatment } from './outdated-treatment.ts'

type Target = OutdatedFacts['plan']['objects'][number]

/** Looks at the sets, and plans which of them ARC is to make again. A set that cannot be judged stops no other. */
export async function planOutdated(
  remedy: Remedy<OutdatedFacts>,
  scope: OutdatedScope,
  deps: RemedyDeps & OutdatedSources,
  signal: AbortSignal,
): Promise<Planned<OutdatedFacts>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const objects: Target[] = []
  const skipped: SkippedObject[] = []
  for (const place of scope.sets) {
    try {
      const reading = await deps.cluster.readSet(place, signal)
      const stays = judgeStays(reading)
      const refused = stays.passed ? refusalOf(place, reading, scope) : null
      if (refused !== null) gates.push(refused)
      else if (stays.passed && reading.set !== null) objects.push(targetOf(reading.set))
      else skipped.push({ ...place, why: masked(stays.proof) })
    } catch (error) {
      signal.throwIfAborted()
      gates.push(gateOf('set-known', place, `not read: ${reasonOf(error)}`))
    }
  }
  const candidates = { began, scope, gates, objects, skipped }
  return planRemedy(outdatedTreatment(remedy, deps), candidates, deps, signal)
}

/** A set that is stuck, and for which a person must do something first, stands in the plan as a gate that failed. */
function refusalOf(place: ObjectRef, reading: SetReading, { renewed }: OutdatedScope): GateResult | null {
  const down = judgeTakenDown(reading)
  if (!down.passed) return gateOf('taken-down', place, down.proof)
  const image = judgeRenewed(reading, renewed)
  return image.passed ? null : gateOf('image-renewed', place, image.proof)
}

function gateOf(gate: string, place: ObjectRef, proof: string): GateResult {
  return { gate, passed: false, proof: masked(`${keyOf(place)}: ${proof}`) }
}

function targetOf({
  namespace,
  name,
  uid,
  resourceVersion,
}: ObjectRef & Pick<Target, 'uid' | 'resourceVersion'>): Target {
  const why = 'ARC took it down because the forge refused its runners, and leaves it so'
  return { kind: 'AutoscalingRunnerSet', namespace, name, uid, resourceVersion, why, evidence: [] }
}
