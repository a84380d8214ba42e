import { reasonOf } from '../../domain/reason.ts'
import {
  type GateResult,
  masked,
  type RunnerTarget,
  type SetReading,
  type SkippedObject,
} from '../../domain/remedy/index.ts'
import {
  forgeHostOf,
  forgeScopeOf,
  keyOf,
  type ObjectRef,
  type RunnerFact,
} from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { RemedyDeps } from '../deps.ts'
import type { RunnerSources } from './runner-treatment.ts'

/** One runner of a set: what a remedy notes about it for its plan, or why it stays. */
export interface Choice<Added extends object> {
  readonly runner: RunnerFact
  /** Null: it stays. */
  readonly added: Added | null
  readonly why: string
}

interface Candidates<Added extends object> {
  readonly began: Instant
  readonly gates: readonly GateResult[]
  readonly objects: readonly (RunnerTarget & Added)[]
  readonly skipped: readonly SkippedObject[]
}

/** Reads the sets, and lets the remedy choose among their runners. A set that cannot be judged stops no other. */
export async function runnerCandidates<Added extends object>(
  sets: readonly ObjectRef[],
  choose: (reading: SetReading, forgeScope: string | null) => Promise<readonly Choice<Added>[]>,
  deps: RemedyDeps & RunnerSources,
  signal: AbortSignal,
): Promise<Candidates<Added>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const objects: (RunnerTarget & Added)[] = []
  const skipped: SkippedObject[] = []
  for (const place of sets) {
    const { choices, forgeScope, gate } = await openSet(place, choose, deps, signal)
    gates.push(gate)
    for (const { runner, added, why } of choices) {
      const { namespace, name, uid, resourceVersion } = runner
      if (added === null || forgeScope === null)
        skipped.push({ namespace, name, why: masked(added === null ? why : gate.proof) })
      else {
        const state = { kind: 'EphemeralRunner', namespace, name, uid, resourceVersion } as const
        objects.push({ ...state, scaleSet: place, forgeScope, ...added, why: masked(why), evidence: [] })
      }
    }
  }
  return { began, gates, objects, skipped }
}

interface OpenedSet<Added extends object> {
  readonly choices: readonly Choice<Added>[]
  readonly forgeScope: string | null
  readonly gate: GateResult
}

async function openSet<Added extends object>(
  place: ObjectRef,
  choose: (reading: SetReading, forgeScope: string | null) => Promise<readonly Choice<Added>[]>,
  { cluster, forge }: RunnerSources,
  signal: AbortSignal,
): Promise<OpenedSet<Added>> {
  const gated = (passed: boolean, proof: string) => ({
    gate: 'set-known',
    passed,
    proof: masked(`${keyOf(place)}: ${proof}`),
  })
  try {
    const reading = await cluster.readSet(place, signal)
    const { set, runners, generations } = reading
    if (set === null)
      return { choices: [], forgeScope: null, gate: gated(false, 'there is no such AutoscalingRunnerSet') }
    const forgeScope = forgeHostOf(set) === forge.host ? forgeScopeOf(set) : null
    const gate =
      forgeScope === null
        ? gated(false, `the runners of ${set.configUrl} are in no list of ${forge.host} that can be read`)
        : gated(
            true,
            `${runners.length} runners in ${generations.length} generations, those of ${forgeScope}`,
          )
    return { choices: await choose(reading, forgeScope), forgeScope, gate }
  } catch (error) {
    signal.throwIfAborted()
    return { choices: [], forgeScope: null, gate: gated(false, `not read: ${reasonOf(error)}`) }
  }
}
