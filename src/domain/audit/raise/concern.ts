import type { ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import { credentialsOf, sharedCredentials } from '../credentials/credential.ts'
import type { FindingSubject } from '../finding.ts'
import { keyOf } from '../joins.ts'

/**
 * Whether a subject bears on some scale sets, of those that narrowing to their labels leaves: only what is known to belong
 * to other sets alone is left out.
 */
export function concernFilter(
  sets: readonly ScaleSetFact[],
  { cluster }: Snapshot,
): (subject: FindingSubject) => boolean {
  const own = new Set(sets.map(keyOf))
  const namespaces = new Set(sets.map(({ namespace }) => namespace))
  const secretNames = new Set(sets.map(({ credentialSecret }) => credentialSecret))
  const usersOf = credentialUsers(cluster)
  return ({ kind, namespace, name }) => {
    if (kind === 'quota') return namespace === null || namespaces.has(namespace)
    if (kind === 'secret') return secretNames.has(name)
    if (kind !== 'credential') return true
    // Holdfast's own, with which the pools that it runs itself register.
    if (namespace === null) return sets.some(({ origin }) => origin === 'holdfast')
    const users = usersOf.get(keyOf({ namespace, name }))
    return users === undefined || users.some((user) => own.has(user))
  }
}

/** The sets that authenticate with each Secret, or with another that holds the same credential. */
function credentialUsers({
  scaleSets,
  secrets,
}: Snapshot['cluster']): ReadonlyMap<string, readonly string[]> {
  const secretByKey = new Map(secrets.items.map((secret) => [keyOf(secret), secret]))
  return new Map(
    sharedCredentials(credentialsOf(scaleSets.items, secretByKey)).flatMap(({ members, sets }) =>
      members.map(({ ref }) => [keyOf(ref), sets.map(keyOf)] as const),
    ),
  )
}
