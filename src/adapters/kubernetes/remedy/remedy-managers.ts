import { HoldfastError } from '../../../domain/errors/index.ts'
import { isRecord } from '../../../domain/is-record.ts'
import type { DeploymentReading } from '../../../domain/remedy/index.ts'
import type { RemedyManagers } from '../../../ports/remedy-managers.ts'
import { type Cluster, objectPath, type WholeObject } from '../client/index.ts'
import { isRefusal } from './whole.ts'

const deployments = {
  group: 'apps',
  version: 'v1',
  plural: 'deployments',
  kind: 'Deployment',
  isNamespaced: true,
}
/** In the pod template: another value makes the Deployment replace its pods. */
const markKey = 'holdfast.dev/restarted'

/** Deployments by plain reads, and one annotation of the pod template. */
export function createRemedyManagers(cluster: Pick<Cluster, 'reader' | 'writer'>): RemedyManagers {
  return {
    async readDeployment(place, signal) {
      const object = await cluster.reader.read<WholeObject>(deployments, place, signal)
      return object === undefined ? null : readingOf(object, objectPath(deployments, place))
    },
    async restart({ namespace, name, uid, resourceVersion }, mark, signal) {
      const target = { namespace, name, uid, resourceVersion }
      const spec = { template: { metadata: { annotations: { [markKey]: mark } } } }
      try {
        const { kind } = await cluster.writer.patch(deployments, target, { spec }, signal)
        return kind === 'changed' ? 'restarted' : kind
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
  }
}

function readingOf(object: WholeObject, path: string): DeploymentReading {
  const { uid, resourceVersion, generation } = object.metadata
  const { spec, status = {} } = object as { spec?: unknown; status?: unknown }
  const template = isRecord(spec) && isRecord(spec.template) ? spec.template : {}
  const pod = isRecord(template.spec) ? template.spec : null
  if (pod === null || !isRecord(spec) || !isRecord(status))
    throw new HoldfastError('E_CLUSTER_ANSWER', { call: `GET ${path}`, problem: 'expected a Deployment' })
  const { replicas = 1 } = spec
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas]
  const annotations =
    isRecord(template.metadata) && isRecord(template.metadata.annotations)
      ? template.metadata.annotations
      : {}
  const mark = annotations[markKey]
  return {
    uid,
    resourceVersion,
    images: valuesOf(pod.containers, 'image'),
    selector: isRecord(spec.selector) ? stringsOf(spec.selector.matchLabels) : {},
    secretNames: [
      ...new Set([...secretsIn(pod.volumes), ...secretsIn(pod.containers), ...secretsIn(pod.initContainers)]),
    ],
    mark: typeof mark === 'string' ? mark : null,
    isRolledOut: status.observedGeneration === generation && counts.every((count) => count === replicas),
  }
}

const secretFields = new Set(['secret', 'secretRef', 'secretKeyRef'])

/** Names of Secrets in volumes, projected volumes and variables, wherever they stand. */
function secretsIn(part: unknown): readonly string[] {
  if (Array.isArray(part)) return part.flatMap(secretsIn)
  if (!isRecord(part)) return []
  return Object.entries(part).flatMap(([field, value]) => {
    const name = secretFields.has(field) && isRecord(value) ? (value.name ?? value.secretName) : undefined
    return typeof name === 'string' ? [name] : secretsIn(value)
  })
}

function valuesOf(list: unknown, field: string): readonly string[] {
  const items = Array.isArray(list) ? list : []
  return items.flatMap((item) => (isRecord(item) && typeof item[field] === 'string' ? item[field] : []))
}

function stringsOf(labels: unknown): Readonly<Record<string, string>> {
  const entries = isRecord(labels) ? Object.entries(labels) : []
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
