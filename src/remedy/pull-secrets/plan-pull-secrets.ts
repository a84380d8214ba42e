import { registryOf } from '../../domain/image.ts'
import { reasonOf } from '../../domain/reason.ts'
import {
  absent,
  type GateResult,
  hashOf,
  judgeWaiting,
  masked,
  type PullSecretsFacts,
  type PullSecretsScope,
  type Remedy,
  type SkippedObject,
} from '../../domain/remedy/index.ts'
import { keyOf, type ListenerFact, type ObjectRef } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { pullSecretsTreatment, type SecretSources } from './pull-secrets-treatment.ts'

type Target = PullSecretsFacts['plan']['objects'][number]

/** Compares the copies of each listener's pull secrets, and plans which are written, and which listener is made again. */
export async function planPullSecrets(
  remedy: Remedy<PullSecretsFacts>,
  scope: PullSecretsScope,
  deps: RemedyDeps & SecretSources,
  signal: AbortSignal,
): Promise<Planned<PullSecretsFacts>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const objects: Target[] = []
  const skipped: SkippedObject[] = []
  for (const place of scope.sets) {
    const gated = (passed: boolean, proof: string) =>
      gates.push({ gate: 'set-known', passed, proof: masked(`${keyOf(place)}: ${proof}`) })
    try {
      const { set, listeners } = await deps.cluster.readSet(place, signal)
      gated(
        set !== null,
        set === null ? 'there is no such AutoscalingRunnerSet' : `${listeners.length} listeners`,
      )
      for (const listener of listeners) {
        for (const name of listener.imagePullSecrets) {
          const compared = await compare(place, listener, name, deps, signal)
          if (!('why' in compared)) objects.push(...compared.filter((each) => isNew(each, objects)))
          else skipped.push({ namespace: listener.namespace, name, why: masked(compared.why) })
        }
        if (listener.imagePullSecrets.length === 0)
          skipped.push({ ...refOf(listener), why: 'it names no pull secret' })
      }
    } catch (error) {
      signal.throwIfAborted()
      gated(false, `not read: ${reasonOf(error)}`)
    }
  }
  // A listener may need several: all are written before any pod is made again.
  const ordered = [...objects].sort((a, b) => Number(a.kind === 'Pod') - Number(b.kind === 'Pod'))
  const candidates = { began, scope, gates, objects: ordered, skipped }
  return planRemedy(pullSecretsTreatment(remedy, deps), candidates, deps, signal)
}

/** The Secret first, then the listener's pod where it waits for the pull. */
async function compare(
  scaleSet: ObjectRef,
  listener: ListenerFact,
  name: string,
  { cluster, secrets }: SecretSources,
  signal: AbortSignal,
): Promise<readonly Target[] | { readonly why: string }> {
  const from = { namespace: scaleSet.namespace, name }
  const to = { namespace: listener.namespace, name }
  const found = await secrets.readSecret(from, '', signal)
  if (found === null) return { why: `there is no ${keyOf(from)} to copy` }
  const { uid, resourceVersion } = found.secret
  const source = await secrets.readSecret(from, uid, signal)
  const target = await secrets.readSecret(to, uid, signal)
  const sourceHash = hashOf(source)
  const targetHash = hashOf(target)
  if (sourceHash === null) return { why: `${keyOf(from)} has no key of a pull secret` }
  if (sourceHash === targetHash)
    return { why: `equal to ${keyOf(from)}: where it is refused, the credential itself is invalid` }
  const registry = registryOf(listener.image)
  const shared = {
    scaleSet,
    listener: refOf(listener),
    registry,
    source: { ...from, uid, resourceVersion },
    sourceHash,
    evidence: [],
  }
  const secret: Target = {
    ...shared,
    ...to,
    kind: 'Secret',
    uid: target?.secret.uid ?? absent,
    resourceVersion: target?.secret.resourceVersion ?? absent,
    isMissing: target === null,
    targetHash,
    why: `${target === null ? 'missing' : `hash ${targetHash?.slice(0, 12) ?? 'none'}`}, while ${keyOf(from)} has ${sourceHash.slice(0, 12)} for ${registry}`,
  }
  const pod = await cluster.readPod(refOf(listener), signal)
  const waiting = judgeWaiting(pod)
  if (pod === null || !waiting.passed) return [secret]
  const why = `the listener of ${keyOf(scaleSet)}: ${waiting.proof}`
  const state = { uid: pod.uid, resourceVersion: pod.resourceVersion }
  return [secret, { ...shared, ...refOf(listener), ...state, kind: 'Pod', why }]
}

/** Listeners may share a copy. */
function isNew(target: Target, objects: readonly Target[]): boolean {
  return !objects.some((each) => each.kind === target.kind && keyOf(each) === keyOf(target))
}

function refOf({ namespace, name }: ObjectRef): ObjectRef {
  return { namespace, name }
}
