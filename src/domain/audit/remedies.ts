import type { Finding, FindingSubject, NextAction } from './finding.ts'
import { keyOf, type SnapshotJoins } from './joins.ts'

/** Places that a remedy's command may name, each as `namespace/name`; null where the finding has none. */
interface Places {
  /** The subject itself. */
  readonly subject: string | null
  /** The namespace that it is, or is in. */
  readonly namespace: string | null
  /** Its scale set. */
  readonly set: string | null
  /** The Deployment of a pod. */
  readonly deployment: string | null
}

/** The remedy of a class: it helps with what the rule would have a person do (`person`), or is the act that the rule allows (`change`). */
interface FindingRemedy {
  readonly takesOver: 'change' | 'person'
  /** A command that makes the plan, and changes nothing; null where a place is missing. */
  command(places: Places): string | null
}

const reap = (option = ''): FindingRemedy => ({
  takesOver: 'change',
  command: ({ set }) => (set === null ? null : `holdfast reap --scale-set ${set}${option}`),
})

const fix = (remedy: string): FindingRemedy => ({
  takesOver: 'person',
  command: ({ set }) => (set === null ? null : `holdfast fix ${remedy} --scale-set ${set}`),
})

const restartManager: FindingRemedy = {
  takesOver: 'person',
  command: ({ deployment }) =>
    deployment === null ? null : `holdfast fix gitlab-token --deployment ${deployment}`,
}

/** Remedies by the class that they treat. A new one is a line here; rules keep saying what a person would do. */
export const remedies: Readonly<Record<string, FindingRemedy>> = {
  'idle-leak': reap(),
  'offline-no-job-cleanup-candidate': reap(),
  'stale-generation': reap(' --stale-generation'),
  'rollover-deadlock': reap(' --stale-generation'),
  'failed-runners-hold-slots': fix('failed-runners'),
  'cancelled-job-handoff': fix('handoff'),
  'stale-idle-listener-blocker': fix('listener-blocker'),
  'controller-pull-secret-missing': fix('pull-secrets'),
  'controller-pull-secret-stale': fix('pull-secrets'),
  'auth-secret-namespace-drift': fix('secret-drift'),
  'pat-budget-exhausted': fix('credentials'),
  'app-secret-bad-key': fix('credentials'),
  'orphaned-job-pods': {
    takesOver: 'person',
    command: ({ namespace }) =>
      namespace === null ? null : `holdfast fix gitlab-orphans --namespace ${namespace}`,
  },
  outdated: fix('outdated'),
  'finalizer-stuck': fix('stuck-finalizers'),
  'token-stale-in-pod': restartManager,
  'token-invalid': restartManager,
}

/** The finding with the command that plans its remedy; one without a remedy is a person's, and has no command. */
export function withRemedy(
  finding: Finding,
  joins: SnapshotJoins,
  known: typeof remedies = remedies,
): Finding {
  const { kind, text } = finding.nextAllowedAction
  if (kind === 'read') return finding
  const remedy = Object.hasOwn(known, finding.class) ? known[finding.class] : undefined
  const command = remedy?.takesOver === kind ? remedy.command(placesOf(finding.subject, joins)) : null
  if (command !== null)
    return withAction(finding, {
      kind,
      text: `${text} This plans it, and changes nothing.`,
      command,
    })
  return kind === 'person' ? finding : withAction(finding, { kind: 'person', text, command: null })
}

function withAction(finding: Finding, nextAllowedAction: NextAction): Finding {
  return { ...finding, nextAllowedAction }
}

function placesOf({ kind, namespace, name }: FindingSubject, joins: SnapshotJoins): Places {
  if (namespace === null) return { subject: null, namespace: null, set: null, deployment: null }
  const own = keyOf({ namespace, name })
  return {
    subject: plain(own),
    namespace: plain(own) === null ? null : namespace,
    set: plain(kind === 'scale-set' ? own : setOf(kind, own, joins)),
    deployment: plain(kind === 'pod' ? deploymentOf(own, joins) : null),
  }
}

/** A Deployment's ReplicaSet has its name, and the hash that its pods have as a label. */
function deploymentOf(own: string, { podByKey }: SnapshotJoins): string | null {
  const { namespace, owner, labels } = podByKey.get(own) ?? {}
  const suffix = `-${labels?.['pod-template-hash'] ?? ''}`
  if (namespace === undefined || owner?.kind !== 'ReplicaSet' || suffix === '-') return null
  return owner.name.endsWith(suffix) ? keyOf({ namespace, name: owner.name.slice(0, -suffix.length) }) : null
}

/** The scale set of a runner or of a listener, or the first that uses a credential, or one whose copy it is. */
function setOf(kind: FindingSubject['kind'], own: string, joins: SnapshotJoins): string | null {
  if (kind === 'secret') return setOfCopy(own, joins)
  if (kind === 'credential') return setOfCredential(own, joins)
  if (kind !== 'listener') {
    const set = joins.runnerByKey.get(own)?.scaleSet
    return set ? keyOf(set) : null
  }
  for (const [set, listeners] of joins.listenersBySet)
    if (listeners.some((listener) => keyOf(listener) === own)) return set
  return null
}

function setOfCredential(own: string, { setByKey }: SnapshotJoins): string | null {
  const users = [...setByKey].filter(
    ([, { namespace, credentialSecret: name }]) => name !== null && keyOf({ namespace, name }) === own,
  )
  return users.map(([key]) => key).sort()[0] ?? null
}

/** A set that names such a credential, and whose listener runs where the copy is. */
function setOfCopy(own: string, { setByKey, listenersBySet }: SnapshotJoins): string | null {
  const users = [...setByKey].filter(([key, { credentialSecret: name }]) =>
    (listenersBySet.get(key) ?? []).some(
      ({ namespace }) => name !== null && keyOf({ namespace, name }) === own,
    ),
  )
  return users.map(([key]) => key).sort()[0] ?? null
}

/** A snapshot may come from anywhere, and the command is typed as it stands. */
function plain(place: string | null): string | null {
  return place !== null && /^[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*$/.test(place) ? place : null
}
