import type { AuditInput } from '../audit.ts'
import type { AuditTable } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { isAbsenceKnown, shortHash, someOf } from '../judging.ts'
import { contentHash, type SecretsByKey } from './pull-secret.ts'

/** Every pull secret that listeners and scale sets name, by hash and registries, never by content. */
export function pullSecretTable({ snapshot }: AuditInput, secretByKey: SecretsByKey): readonly AuditTable[] {
  const { listeners, scaleSets, secrets } = snapshot.cluster
  const users = Map.groupBy(
    [
      ...listeners.items.flatMap(({ namespace, name, imagePullSecrets }) =>
        imagePullSecrets.map((secret) => ({ ref: { namespace, name: secret }, user: name })),
      ),
      ...scaleSets.items.flatMap(({ namespace, name, template }) =>
        template.imagePullSecrets.map((secret) => ({ ref: { namespace, name: secret }, user: name })),
      ),
    ],
    ({ ref }) => keyOf(ref),
  )
  if (users.size === 0) return []
  const rows = [...users].map(([key, uses]) => {
    const secret = secretByKey.get(key)
    const namespace = uses[0]?.ref.namespace ?? ''
    const absent = isAbsenceKnown(secrets, snapshot, namespace) ? 'missing' : 'not read'
    const hash = secret === undefined ? null : contentHash(secret)
    return [
      key,
      secret === undefined ? absent : secret.registries.join(', '),
      hash === null ? '' : shortHash(hash),
      someOf(uses.map(({ user }) => user)),
    ]
  })
  return [{ title: 'Pull secrets', columns: ['secret', 'registries', 'hash', 'used by'], rows }]
}
