import { reasonOf } from '../../domain/reason.ts'
import {
  absent,
  type GateResult,
  type LaneReading,
  masked,
  type ProbeFacts,
  type ProbeKind,
  type ProbeScope,
  probeEnv,
  probePlace,
  runnerOf,
} from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type ProbeSources, probeTreatment } from './probe-treatment.ts'

/** The id is new for each plan. */
interface ProbeWish {
  readonly kind: ProbeKind
  readonly scope: ProbeScope
  readonly probeId: string
}

/** Reads the lane, and plans the one pod that asks the question. */
export async function planProbe(
  { kind, scope, probeId }: ProbeWish,
  deps: RemedyDeps & ProbeSources,
  signal: AbortSignal,
): Promise<Planned<ProbeFacts>> {
  const began = deps.clock.now()
  const { lane, gate } = await readLane(scope, deps, signal)
  const runner = lane === null ? null : runnerOf(lane.set.template)
  const objects =
    lane === null || runner === null
      ? []
      : [
          {
            ...probePlace(kind, scope.set.namespace),
            kind: 'Pod',
            asks: kind,
            uid: absent,
            resourceVersion: absent,
            probeId,
            scaleSet: { ...scope.set, uid: lane.set.uid, generation: lane.generation },
            image: runner.image,
            imagePullSecrets: lane.set.template.imagePullSecrets,
            env: probeEnv(kind, runner),
            node: scope.node,
            registry: scope.registry,
            deadlineSeconds: scope.deadlineSeconds,
            why: masked(whyOf(kind, scope, runner.image)),
            evidence: [],
          } as const,
        ]
  const candidates = { began, scope, gates: [gate], objects, skipped: [] }
  return planRemedy(probeTreatment(kind, deps), candidates, deps, signal)
}

async function readLane(
  { set }: ProbeScope,
  { probes }: ProbeSources,
  signal: AbortSignal,
): Promise<{ readonly lane: LaneReading | null; readonly gate: GateResult }> {
  const gated = (passed: boolean, proof: string) => ({
    gate: 'set-known',
    passed,
    proof: masked(`${keyOf(set)}: ${proof}`),
  })
  try {
    const lane = await probes.readLane(set, signal)
    if (lane === null) return { lane, gate: gated(false, 'there is no such AutoscalingRunnerSet') }
    const runner = runnerOf(lane.set.template)
    if (runner === null) return { lane, gate: gated(false, 'its template has no container') }
    return { lane, gate: gated(true, `generation ${lane.generation}, image ${runner.image}`) }
  } catch (error) {
    signal.throwIfAborted()
    return { lane: null, gate: gated(false, `not read: ${reasonOf(error)}`) }
  }
}

function whyOf(kind: ProbeKind, { node, registry, deadlineSeconds }: ProbeScope, image: string): string {
  const question = {
    'nix-cache': 'asks for the Nix cache',
    'npm-tls': `looks at the CA files and the certificates of ${registry}`,
    'image-pull': `pulls${node === null ? '' : ` on ${node}`}, and ends at once`,
  }[kind]
  return `${image} ${question}; at most ${deadlineSeconds} s, then it is removed`
}
