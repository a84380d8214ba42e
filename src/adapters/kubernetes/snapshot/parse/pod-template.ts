import type { PodTemplateFact, Toleration, VolumeFact } from '../../../../domain/snapshot/index.ts'
import { parseContainers } from './container.ts'
import { amount, amounts, type Cursor, each, has, inside, name, nameNeeded, textMap } from './cursor.ts'
import { parseExpression } from './expression.ts'
import { parsePodRules } from './pod-rules.ts'

/** A pod's spec, or that of a template; the pod's name is null in a template. */
export function parsePodTemplate(spec: Cursor, podName: string | null): Omit<PodTemplateFact, 'labels'> {
  return {
    containers: parseContainers(spec),
    nodeSelector: textMap(spec, 'nodeSelector'),
    tolerations: each(spec, 'tolerations').map(parseToleration),
    nodeAffinity: parseNodeAffinity(spec),
    volumes: parseVolumes(spec, podName),
    imagePullSecrets: each(spec, 'imagePullSecrets').flatMap((ref) => name(ref, 'name') ?? []),
    priorityClass: name(spec, 'priorityClassName'),
    serviceAccount: name(spec, 'serviceAccountName'),
    overhead: amounts(spec, 'overhead'),
    podRules: parsePodRules(spec),
  }
}

function parseToleration(toleration: Cursor): Toleration {
  return {
    key: name(toleration, 'key'),
    operator: name(toleration, 'operator') ?? 'Equal',
    value: name(toleration, 'value'),
    effect: name(toleration, 'effect'),
  }
}

function parseNodeAffinity(spec: Cursor): PodTemplateFact['nodeAffinity'] {
  const affinity = inside(inside(spec, 'affinity'), 'nodeAffinity')
  const key = 'requiredDuringSchedulingIgnoredDuringExecution'
  if (!has(affinity, key)) return null
  return each(inside(affinity, key), 'nodeSelectorTerms').map((term) =>
    [...each(term, 'matchExpressions'), ...each(term, 'matchFields')].map(parseExpression),
  )
}

function parseVolumes(spec: Cursor, podName: string | null): readonly VolumeFact[] {
  const mounts = new Map<string, string[]>()
  for (const container of [...each(spec, 'initContainers'), ...each(spec, 'containers')]) {
    for (const mount of each(container, 'volumeMounts')) {
      const volume = nameNeeded(mount, 'name')
      const paths = mounts.get(volume) ?? []
      mounts.set(volume, paths)
      const path = name(mount, 'mountPath')
      if (path !== null && !paths.includes(path)) paths.push(path)
    }
  }
  return each(spec, 'volumes').map((volume) => {
    const named = nameNeeded(volume, 'name')
    return { name: named, ...sourceOf(volume, named, podName), mountPaths: mounts.get(named) ?? [] }
  })
}

function sourceOf(
  volume: Cursor,
  volumeName: string,
  podName: string | null,
): Pick<VolumeFact, 'kind' | 'claim' | 'storageClass' | 'sizeBytes'> {
  const none = { claim: null, storageClass: null, sizeBytes: null }
  if (has(volume, 'emptyDir')) {
    return { ...none, kind: 'empty-dir', sizeBytes: amount(inside(volume, 'emptyDir'), 'sizeLimit') }
  }
  if (has(volume, 'persistentVolumeClaim')) {
    return { ...none, kind: 'claim', claim: name(inside(volume, 'persistentVolumeClaim'), 'claimName') }
  }
  if (has(volume, 'ephemeral')) {
    const claim = inside(inside(inside(volume, 'ephemeral'), 'volumeClaimTemplate'), 'spec')
    return {
      kind: 'ephemeral-claim',
      claim: podName === null ? null : `${podName}-${volumeName}`,
      storageClass: name(claim, 'storageClassName'),
      sizeBytes: amount(inside(inside(claim, 'resources'), 'requests'), 'storage'),
    }
  }
  return { ...none, kind: has(volume, 'hostPath') ? 'host-path' : 'other' }
}
