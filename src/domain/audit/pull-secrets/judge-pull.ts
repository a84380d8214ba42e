import { isWhole, type SecretFact } from '../../snapshot/index.ts'
import type { AuditInput, FindingClass } from '../audit.ts'
import type { Confidence, Finding, FindingEvidence, Unjudged } from '../finding.ts'
import { keyOf } from '../joins.ts'
import {
  evidenceOf,
  findingOf,
  type Judged,
  shortHash,
  someOf,
  unjudgedAbsence,
  unjudgedBy,
} from '../judging.ts'
import {
  controllerPullSecretMissing,
  controllerPullSecretPublicOnly,
  controllerPullSecretStale,
  credentialInvalid,
  pullSecretClasses,
  runnerPullSecretMissing,
} from './classes.ts'
import {
  contentHash,
  covers,
  type NamedSecrets,
  namedSecrets,
  runnerCopy,
  type SecretsByKey,
} from './pull-secret.ts'
import type { FailingPull } from './pulls.ts'

interface Verdict {
  readonly class: FindingClass
  readonly confidence: Confidence
  readonly because: string
  readonly action: string
}

/** The reason why a registry refuses a pull, from the Secrets that the pod names. */
export function judgePull(pull: FailingPull, input: AuditInput, secretByKey: SecretsByKey): Judged {
  const { snapshot } = input
  const { secrets, events } = snapshot.cluster
  if (pull.refusal === null) return unknown(unjudgedBy(pullSecretClasses, events))
  const { namespace, imagePullSecrets } = pull.pod
  const named = namedSecrets(namespace, imagePullSecrets, secretByKey, snapshot)
  if (named.isOpen) return unknown(unjudgedAbsence(pullSecretClasses, secrets, namespace))
  const verdict = uncovered(pull, named) ?? refusedInPlace(pull, named, input, secretByKey)
  if ('unjudged' in verdict) return verdict
  return { findings: [toFinding(pull, verdict, input)], unjudged: [] }
}

function unknown(unjudged: readonly Unjudged[]): Judged {
  return { findings: [], unjudged }
}

/** No Secret that the pod names has credentials for the registry. */
function uncovered({ role, registry, pod }: FailingPull, { names, present }: NamedSecrets): Verdict | null {
  if (present.some((secret) => covers(secret, registry))) return null
  const isThere = present.length > 0
  const listenerClass = isThere ? controllerPullSecretPublicOnly : controllerPullSecretMissing
  return {
    class: role === 'listener' ? listenerClass : runnerPullSecretMissing,
    confidence: 'proven',
    because: isThere
      ? `${someOf(present.map(keyOf))} has credentials for ${someOf([...new Set(present.flatMap(({ registries }) => registries))]) || 'no registry'}, not for ${registry}`
      : names.length === 0
        ? 'the pod names no pull secret'
        : `${someOf(names)} is not in ${pod.namespace}`,
    action: `Give ${pod.namespace} a pull secret with credentials for ${registry} in its source, and apply it.`,
  }
}

/** Credentials are there, and refused: older than the runners' copy, or invalid themselves. */
function refusedInPlace(
  { role, registry, set: ref }: FailingPull,
  { present }: NamedSecrets,
  { snapshot }: AuditInput,
  secretByKey: SecretsByKey,
): Verdict | Judged {
  const { scaleSets, secrets } = snapshot.cluster
  const own = present.filter((secret) => covers(secret, registry))
  const renew = `Renew the credentials for ${registry} in their source, and apply it.`
  if (role === 'runner')
    return {
      class: credentialInvalid,
      confidence: 'proven',
      because: `${someOf(own.map(keyOf))} has credentials for ${registry}`,
      action: renew,
    }
  const set = scaleSets.items.find((each) => keyOf(each) === keyOf(ref))
  if (set === undefined) return unknown(unjudgedBy(pullSecretClasses, scaleSets))
  const pairs = own.map((secret) => ({ secret, copy: runnerCopy(secret, set, registry, secretByKey) }))
  if (pairs.some(({ copy }) => copy === null) && !isWhole(secrets))
    return unknown(unjudgedBy(pullSecretClasses, secrets))
  const stale = pairs.find(({ secret, copy }) => copy !== null && isOther(secret, copy))
  if (stale?.copy != null)
    return {
      class: controllerPullSecretStale,
      confidence: 'likely',
      because: `${hashText(stale.secret)}, ${hashText(stale.copy)}`,
      action: `See that runners pull with ${keyOf(stale.copy)} now; then let the source write both Secrets, apply it, and recreate this one listener pod.`,
    }
  return {
    class: credentialInvalid,
    confidence: pairs.some(({ secret, copy }) => isSame(secret, copy)) ? 'proven' : 'likely',
    because: pairs
      .map(({ secret, copy }) =>
        copy === null
          ? `${keyOf(secret)} has no copy to compare with`
          : `${hashText(secret)}, ${hashText(copy)}`,
      )
      .join('; '),
    action: renew,
  }
}

/** Unknown hashes are not compared. */
function isOther(secret: SecretFact, copy: SecretFact): boolean {
  const [own, theirs] = [contentHash(secret), contentHash(copy)]
  return own !== null && theirs !== null && own !== theirs
}

function isSame(secret: SecretFact, copy: SecretFact | null): boolean {
  return copy !== null && contentHash(secret) !== null && contentHash(secret) === contentHash(copy)
}

function hashText(secret: SecretFact): string {
  const hash = contentHash(secret)
  return `${keyOf(secret)} has the hash ${hash === null ? 'unknown' : shortHash(hash)}`
}

function toFinding(pull: FailingPull, verdict: Verdict, { snapshot }: AuditInput): Finding {
  const { pods, secrets } = snapshot.cluster
  const { role, image, registry, pod, podCount, refusal, subject } = pull
  const waiting =
    role === 'listener'
      ? 'The listener waits'
      : podCount === 1
        ? 'A runner waits'
        : `${podCount} runners wait`
  return findingOf(verdict.class, {
    severity: 'critical',
    subject,
    confidence: verdict.confidence,
    summary: `${waiting} for ${image}: ${registry} refuses the pull, and ${verdict.because}.`,
    evidence: [
      evidenceOf(pods, `${keyOf(pod)} on ${pod.node ?? 'no node'}: ${refusal}`),
      evidenceOf(secrets, verdict.because),
      ...cachedEvidence(image, snapshot.cluster.nodes),
    ],
    nextAllowedAction: { kind: 'person', text: verdict.action, command: null },
  })
}

/** Pods that start on these nodes need no pull, and prove nothing about the Secret. */
function cachedEvidence(image: string, nodes: AuditInput['snapshot']['cluster']['nodes']): FindingEvidence[] {
  const having = nodes.items.filter(({ images }) => images.includes(image)).map(({ name }) => name)
  return having.length === 0
    ? []
    : [evidenceOf(nodes, `the image is on ${someOf(having)} already, where no pull is needed`)]
}
