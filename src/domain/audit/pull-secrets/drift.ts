import type { ListenerFact, SecretFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { evidenceOf, findingOf, shortHash, subjectOf } from '../judging.ts'
import { controllerPullSecretStale } from './classes.ts'
import { contentHash, type SecretsByKey } from './pull-secret.ts'

/**
 * Pull secrets of listeners that differ from the runners' copy of the same name and registries, before a cold node needs
 * them. A listener whose pull is refused for it already is left out.
 */
export function judgeDrift(
  { snapshot }: AuditInput,
  secretByKey: SecretsByKey,
  refused: readonly Finding[],
): readonly Finding[] {
  const { listeners, secrets } = snapshot.cluster
  const known = new Set(
    refused
      .filter((finding) => finding.class === controllerPullSecretStale.name)
      .map(({ subject }) => keyOf({ namespace: subject.namespace ?? '', name: subject.name })),
  )
  return listeners.items.flatMap((listener) =>
    known.has(keyOf(listener))
      ? []
      : differingCopies(listener, secretByKey).map(({ name, own, copy }) =>
          findingOf(controllerPullSecretStale, {
            severity: 'warning',
            subject: subjectOf('listener', listener),
            confidence: 'likely',
            summary: `Pull secret ${name} of the listener differs from the one in ${listener.scaleSet.namespace}: its next pull on a node without the image may be refused.`,
            evidence: [
              evidenceOf(
                secrets,
                `hash ${shortHash(own)} in ${listener.namespace}, ${shortHash(copy)} in ${listener.scaleSet.namespace}`,
              ),
            ],
            nextAllowedAction: {
              kind: 'person',
              text: 'Find out which copy is good, and let the source write both.',
              command: null,
            },
          }),
        ),
  )
}

function differingCopies({ namespace, scaleSet, imagePullSecrets }: ListenerFact, secretByKey: SecretsByKey) {
  return imagePullSecrets.flatMap((name) => {
    const own = secretByKey.get(keyOf({ namespace, name }))
    const copy = secretByKey.get(keyOf({ namespace: scaleSet.namespace, name }))
    if (own === undefined || copy === undefined || registriesOf(own) !== registriesOf(copy)) return []
    const hashes = { name, own: contentHash(own), copy: contentHash(copy) }
    return isDiffering(hashes) ? [hashes] : []
  })
}

interface Hashes {
  readonly name: string
  readonly own: string
  readonly copy: string
}

function isDiffering(hashes: { readonly [K in keyof Hashes]: string | null }): hashes is Hashes {
  return hashes.own !== null && hashes.copy !== null && hashes.own !== hashes.copy
}

function registriesOf({ registries }: SecretFact): string {
  return [...registries].sort().join(' ')
}
