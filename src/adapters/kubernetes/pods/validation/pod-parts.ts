import { isRecord } from '../../../../domain/is-record.ts'
import { type JsonMap, mapOf, mapsOf } from '../json.ts'
import { containers } from '../names.ts'
import type { Checked } from './check.ts'

const lists = ['initContainers', 'containers', 'ephemeralContainers'] as const
/** Fields that name a Secret, in variables and in all kinds of volumes. */
const secretFields = ['secret', 'secretRef', 'secretKeyRef', 'nodePublishSecretRef']

/** Every container of a pod; the check is as the runner is. */
export function everyContainer({
  merged: { spec },
}: Pick<Checked, 'merged'>): readonly { readonly at: string; readonly container: JsonMap }[] {
  return lists.flatMap((list) =>
    mapsOf(spec[list])
      .filter(({ name }) => list !== 'initContainers' || name !== containers.check)
      .map((container) => ({ at: `spec.${list}["${container.name}"]`, container })),
  )
}

/** Every security context, the pod's own first. */
export function contextsIn(
  checked: Pick<Checked, 'merged'>,
): readonly { readonly at: string; readonly context: JsonMap }[] {
  return [
    { at: 'spec.securityContext', context: mapOf(checked.merged.spec.securityContext) },
    ...everyContainer(checked).map(({ at, container }) => ({
      at: `${at}.securityContext`,
      context: mapOf(container.securityContext),
    })),
  ]
}

/**
 * Secrets whose content reaches the pod. Those with which the kubelet pulls images (`imagePullSecrets`) do not: no
 * container can read them.
 */
export function secretsIn(
  checked: Pick<Checked, 'merged'>,
): readonly { readonly at: string; readonly name: string }[] {
  return [
    ...everyContainer(checked).flatMap(({ at, container: { env, envFrom } }) => [
      ...named(`${at}.env`, env),
      ...named(`${at}.envFrom`, envFrom),
    ]),
    ...mapsOf(checked.merged.spec.volumes).flatMap((volume) =>
      named(`spec.volumes["${volume.name}"]`, volume),
    ),
  ]
}

/** The form of a template bounds how deep this goes. */
function named(at: string, value: unknown): { at: string; name: string }[] {
  if (Array.isArray(value)) return value.flatMap((each) => named(at, each))
  if (!isRecord(value)) return []
  const azure = mapOf(value.azureFile).secretName
  return [
    ...(azure === undefined ? [] : [{ at: `${at}.azureFile.secretName`, name: `${azure}` }]),
    ...Object.entries(value).flatMap(([field, inner]) => {
      const isSecret = secretFields.includes(field) && isRecord(inner)
      return isSecret ? [{ at: `${at}.${field}`, name: nameIn(inner) }] : named(at, inner)
    }),
  ]
}

function nameIn({ name, secretName }: JsonMap): string {
  return `${secretName ?? name ?? ''}`
}
