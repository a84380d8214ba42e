import { failedOf, type GateResult, gatesText, judgeGates, masked } from '../../../domain/remedy/index.ts'
import { type Caps, canaryGates } from '../../../domain/remedy/managed-apply/index.ts'
import { forgeHostOf, forgeScopeOf, keyOf, type ObjectRef } from '../../../domain/snapshot/index.ts'
import { attempted } from '../../attempted.ts'
import type { ApplyDeps } from '../deps.ts'

/** A set that passed, as it is before anything is changed. */
interface AdmittedSet extends ObjectRef {
  readonly uid: string
  readonly forgeScope: string
  readonly recorded: Caps
}

interface Canary {
  readonly gates: readonly GateResult[]
  readonly failed: readonly GateResult[]
  readonly sets: readonly AdmittedSet[]
}

/** Judges each set by itself; one that cannot be read does not pass. */
export async function judgeCanary(
  places: readonly ObjectRef[],
  deps: Pick<ApplyDeps, 'cluster' | 'forge'>,
  signal: AbortSignal,
): Promise<Canary> {
  const gates: GateResult[] = []
  const sets: AdmittedSet[] = []
  for (const place of places) {
    const { judged, admitted } = await judgeSet(place, deps, signal)
    gates.push(...judged.map((each) => ({ ...each, proof: masked(`${keyOf(place)}: ${each.proof}`) })))
    if (admitted !== null) sets.push(admitted)
  }
  return { gates, failed: failedOf(gates), sets }
}

/** Why a canary did not pass. */
export function canaryText({ failed }: Pick<Canary, 'failed'>): string {
  return gatesText(failed)
}

async function judgeSet(
  place: ObjectRef,
  { cluster, forge }: Pick<ApplyDeps, 'cluster' | 'forge'>,
  signal: AbortSignal,
): Promise<{ readonly judged: readonly GateResult[]; readonly admitted: AdmittedSet | null }> {
  const read = await attempted(async () => ({
    reading: await cluster.readSet(place, signal),
    // After the reading: caps that were changed meanwhile are those that are recorded.
    caps: await cluster.readCaps(place, signal),
  }))
  if ('failure' in read)
    return { judged: [{ gate: 'readable', passed: false, proof: read.failure }], admitted: null }
  const { reading, caps } = read.value
  const { set } = reading
  const forgeScope = set !== null && forgeHostOf(set) === forge.host ? forgeScopeOf(set) : null
  const judged = judgeGates(canaryGates, { reading, caps, forgeScope })
  const isAdmitted = failedOf(judged).length === 0 && caps !== null && forgeScope !== null
  const { namespace, name } = place
  return {
    judged,
    admitted: isAdmitted
      ? {
          namespace,
          name,
          uid: caps.uid,
          forgeScope,
          recorded: { minRunners: caps.minRunners, maxRunners: caps.maxRunners },
        }
      : null,
  }
}
