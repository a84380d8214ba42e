import { HoldfastError } from '../../../domain/errors/index.ts'
import { isRecord } from '../../../domain/is-record.ts'
import type { RemedyCluster } from '../../../ports/remedy.ts'
import type { Cluster, WholeObject } from '../client/index.ts'
import { arcKinds } from '../snapshot/index.ts'
import { isRefusal } from './whole.ts'

/** Names the apply that froze a set, on the set itself, for people who find it frozen. */
const markAnnotation = 'holdfast.dev/managed-apply'
const { kind } = arcKinds.scaleSets

/** The caps of AutoscalingRunnerSets, by one read and one merge patch under UID and resourceVersion. */
export function createCapsWriter({
  reader,
  writer,
}: Pick<Cluster, 'reader' | 'writer'>): Pick<RemedyCluster, 'readCaps' | 'patchCaps'> {
  return {
    async readCaps({ namespace, name }, signal) {
      const object = await reader.read<WholeObject>(kind, { namespace, name }, signal)
      if (object === undefined) return null
      const { metadata, spec } = object
      if (!isRecord(spec)) throw shape(name, 'it has no spec')
      const { uid, resourceVersion, annotations = {} } = metadata
      return {
        uid,
        resourceVersion,
        minRunners: capIn(spec, 'minRunners', name),
        maxRunners: capIn(spec, 'maxRunners', name),
        mark: annotations[markAnnotation] ?? null,
      }
    },
    async patchCaps({ namespace, name, uid, resourceVersion }, { minRunners, maxRunners, mark }, signal) {
      try {
        const changed = await writer.patch(
          kind,
          { namespace, name, uid, resourceVersion },
          { metadata: { annotations: { [markAnnotation]: mark } }, spec: { minRunners, maxRunners } },
          signal,
        )
        return changed.kind === 'changed' ? 'patched' : changed.kind
      } catch (error) {
        if (isRefusal(error)) throw error
        return 'unknown'
      }
    },
  }
}

function capIn(spec: Readonly<Record<string, unknown>>, field: string, name: string): number | null {
  const value = spec[field] ?? null
  if (value === null || (typeof value === 'number' && Number.isInteger(value))) return value
  throw shape(name, `spec.${field} is no whole number`)
}

function shape(name: string, problem: string): HoldfastError {
  return new HoldfastError('E_CLUSTER_ANSWER', {
    call: `GET ${kind.plural}`,
    problem: `${name}: ${problem}`,
  })
}
