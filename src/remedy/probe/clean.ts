import { reasonOf } from '../../domain/reason.ts'
import {
  type GateResult,
  masked,
  type ProbeCleanFacts,
  type ProbeCleanScope,
  probeClean,
  probeKinds,
  probePlace,
} from '../../domain/remedy/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import type { Treatment } from '../treatment.ts'
import type { ProbeSources } from './probe-treatment.ts'

/** A conflict did nothing: the kubelet wrote the pod since it was read. */
const conflictsMax = 5

/** How one pod of a probe is removed: by its UID, in the state that was read last. */
export function probeCleanTreatment(
  { probes, clock }: ProbeSources,
  remedy = probeClean,
): Treatment<ProbeCleanFacts> {
  return {
    remedy,
    async readFresh(planned, signal) {
      const at = clock.now()
      return { sources: { cluster: at }, pod: await probes.readPod(planned, signal) }
    },
    async act({ namespace, name, uid }, signal) {
      for (let tries = 1; ; tries++) {
        const pod = await probes.readPod({ namespace, name }, signal)
        if (pod === null || pod.uid !== uid) return 'gone'
        const { resourceVersion } = pod
        const removal = await probes.remove({ namespace, name, uid, resourceVersion }, signal)
        if (removal !== 'conflict' || tries >= conflictsMax) return removal === 'removed' ? 'done' : removal
      }
    },
    async isDone({ namespace, name, uid }, signal) {
      const pod = await probes.readPod({ namespace, name }, signal)
      return pod === null || pod.uid !== uid || pod.deletedAt !== null
    },
    readAfter: async (planned, signal) => ({ pod: await probes.readPod(planned, signal) }),
    ends: () => [],
    texts: {
      toDo: ({ uid }) => `to be deleted now, by uid ${uid}`,
      done: 'the cluster took it on',
      verified: 'it is gone',
      proven: 'no pod of these probes is left',
    },
  }
}

/** Looks for pods of probes by their names, and plans the removal of those that nobody needs any more. */
export async function planProbeClean(
  scope: ProbeCleanScope,
  deps: RemedyDeps & ProbeSources,
  signal: AbortSignal,
): Promise<Planned<ProbeCleanFacts>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const objects: ProbeCleanFacts['plan']['objects'][number][] = []
  for (const namespace of scope.namespaces) {
    try {
      for (const kind of probeKinds) {
        const place = probePlace(kind, namespace)
        const pod = await deps.probes.readPod(place, signal)
        if (pod === null) continue
        const { uid, resourceVersion } = pod
        const since = pod.createdAt === null ? 'unknown' : new Date(pod.createdAt).toISOString()
        const why = `a pod of a probe, there since ${since}`
        objects.push({ kind: 'Pod', ...place, uid, resourceVersion, why, evidence: [] })
      }
    } catch (error) {
      signal.throwIfAborted()
      gates.push({ gate: 'readable', passed: false, proof: masked(`${namespace}: ${reasonOf(error)}`) })
    }
  }
  const candidates = { began, scope, gates, objects, skipped: [] }
  return planRemedy(probeCleanTreatment(deps), candidates, deps, signal)
}
