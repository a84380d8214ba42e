import type { ClaimFact, StorageCapacityFact, StorageClassFact } from '../../../../domain/snapshot/index.ts'
import {
  amount,
  type Cursor,
  each,
  has,
  inside,
  name,
  nameNeeded,
  ShapeProblem,
  textMap,
  texts,
} from './cursor.ts'
import { objectFact } from './object.ts'

/** A PersistentVolumeClaim. */
export function parseClaim(claim: Cursor): ClaimFact {
  const spec = inside(claim, 'spec')
  return {
    ...objectFact(claim),
    phase: name(inside(claim, 'status'), 'phase') ?? 'Pending',
    storageClass: name(spec, 'storageClassName'),
    requestedBytes: amount(inside(inside(spec, 'resources'), 'requests'), 'storage'),
    volume: name(spec, 'volumeName'),
  }
}

export function parseStorageClass(storageClass: Cursor): StorageClassFact {
  const metadata = inside(storageClass, 'metadata')
  const annotations = inside(metadata, 'annotations')
  return {
    name: nameNeeded(metadata, 'name'),
    provisioner: nameNeeded(storageClass, 'provisioner'),
    isDefault: name(annotations, 'storageclass.kubernetes.io/is-default-class') === 'true',
    bindsOnFirstConsumer: name(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer',
  }
}

/** A CSIStorageCapacity; null where no node at all can reach it. */
export function parseStorageCapacity(capacity: Cursor): StorageCapacityFact | null {
  if (!has(capacity, 'nodeTopology')) return null
  return {
    storageClass: nameNeeded(capacity, 'storageClassName'),
    availableBytes: amount(capacity, 'capacity'),
    nodeLabels: labelsOf(inside(capacity, 'nodeTopology')),
  }
}

function labelsOf(selector: Cursor): Readonly<Record<string, string>> {
  const expressions = each(selector, 'matchExpressions').map((expression) => {
    const [value, ...others] = texts(expression, 'values')
    const isOne = name(expression, 'operator') === 'In' && value !== undefined && others.length === 0
    if (!isOne) throw new ShapeProblem(`${expression.path} is more than one label with one value`)
    return [nameNeeded(expression, 'key'), value]
  })
  return { ...textMap(selector, 'matchLabels'), ...Object.fromEntries(expressions) }
}
