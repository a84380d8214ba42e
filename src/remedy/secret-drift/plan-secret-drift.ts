import { reasonOf } from '../../domain/reason.ts'
import {
  credentialHash,
  type GateResult,
  masked,
  type Remedy,
  type SecretDriftFacts,
  type SecretDriftScope,
  type SetReading,
  type SkippedObject,
  shortHashes,
} from '../../domain/remedy/index.ts'
import { keyOf } from '../../domain/snapshot/index.ts'
import type { RemedyDeps } from '../deps.ts'
import { type Planned, planRemedy } from '../plan.ts'
import { type CredentialSources, secretDriftTreatment } from './secret-drift-treatment.ts'

type Target = SecretDriftFacts['plan']['objects'][number]

/** Compares each set's credential with the copy where its listener runs, and plans which copies are written. */
export async function planSecretDrift(
  remedy: Remedy<SecretDriftFacts>,
  scope: SecretDriftScope,
  deps: RemedyDeps & CredentialSources,
  signal: AbortSignal,
): Promise<Planned<SecretDriftFacts>> {
  const began = deps.clock.now()
  const gates: GateResult[] = []
  const objects: Target[] = []
  const skipped: SkippedObject[] = []
  for (const place of scope.sets) {
    const gated = (passed: boolean, proof: string) =>
      gates.push({ gate: 'set-known', passed, proof: masked(`${keyOf(place)}: ${proof}`) })
    try {
      const reading = await deps.cluster.readSet(place, signal)
      const { set, listeners } = reading
      gated(
        set !== null,
        set === null ? 'there is no such AutoscalingRunnerSet' : `${listeners.length} listeners`,
      )
      const compared = await compare(reading, deps, signal)
      if (!('kind' in compared)) skipped.push({ ...place, why: masked(compared.why) })
      // Sets may share a copy.
      else if (!objects.some((each) => keyOf(each) === keyOf(compared))) objects.push(compared)
    } catch (error) {
      signal.throwIfAborted()
      gated(false, `not read: ${reasonOf(error)}`)
    }
  }
  const candidates = { began, scope, gates, objects, skipped }
  return planRemedy(secretDriftTreatment(remedy, deps), candidates, deps, signal)
}

async function compare(
  { place, set, listeners }: SetReading,
  { secrets }: CredentialSources,
  signal: AbortSignal,
): Promise<Target | { readonly why: string }> {
  const [listener] = listeners
  if (set === null) return { why: 'there is no such set' }
  if (set.credentialSecret === null) return { why: 'it names no Secret as its credential' }
  if (listener === undefined) return { why: 'it has no listener: no session proves its credential' }
  if (listener.namespace === place.namespace) return { why: 'its listener runs in its own namespace' }
  const from = { namespace: place.namespace, name: set.credentialSecret }
  const to = { namespace: listener.namespace, name: set.credentialSecret }
  const found = await secrets.readSecret(from, '', signal)
  if (found === null) return { why: `there is no ${keyOf(from)}` }
  const { uid, resourceVersion } = found.secret
  const source = await secrets.readSecret(from, uid, signal)
  const target = await secrets.readSecret(to, uid, signal)
  if (target === null) return { why: `there is no ${keyOf(to)}, and ARC needs none there` }
  const sourceHash = source === null ? null : credentialHash(source.secret)
  const targetHash = credentialHash(target.secret)
  if (sourceHash === null) return { why: `${keyOf(from)} has no key that ARC reads` }
  if (sourceHash === targetHash) return { why: `${keyOf(to)} is equal to ${keyOf(from)}` }
  return {
    ...to,
    kind: 'Secret',
    uid: target.secret.uid,
    resourceVersion: target.secret.resourceVersion,
    scaleSet: place,
    source: { ...from, uid, resourceVersion },
    sourceHash,
    targetHash,
    why: `${shortHashes(targetHash)}, while the session of ${keyOf(place)} has ${shortHashes(sourceHash)} (${keyOf(from)})`,
    evidence: [],
  }
}
