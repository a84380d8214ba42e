import { HoldfastError, isError } from '../../../../domain/errors/index.ts'
import type {
  Changed,
  ClusterObject,
  ClusterReader,
  ClusterWriter,
  Created,
  Exactly,
  NamespacedName,
  ObjectKind,
  Same,
} from '../../../../ports/cluster.ts'
import { apiVersionOf, collectionPath, objectPath } from '../paths.ts'
import { parseObject } from '../reflector/objects.ts'
import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Transport } from '../transport/send.ts'

/** The name under which the cluster knows what is ours. */
const fieldManager = 'holdfast'

/** Writes as `holdfast`. */
export function createWriter(transport: Transport): ClusterWriter {
  const sendForObject = async (request: ApiRequest, signal: AbortSignal): Promise<ClusterObject> => {
    const { body } = await transport.send({ ...request, answer: 'metadata' }, signal)
    const object = parseObject(body, (given): ClusterObject => given)
    if (object === null) throw notAnApi(request, 'expected the object that was written')
    return object
  }
  return {
    async create(kind: ObjectKind, manifest: object, signal: AbortSignal) {
      const body = typed(kind, manifest)
      const path = collectionPath(kind, placeOf(manifest).namespace)
      // A field that the API does not know is a typo of its author; by itself the API would drop it.
      const query = { fieldManager: fieldManager, fieldValidation: 'Strict' }
      try {
        const object = await sendForObject({ method: 'POST', path, query, body }, signal)
        return { kind: 'created', object } satisfies Created
      } catch (error) {
        if (isError(error, 'E_CLUSTER_CONFLICT') && error.params.word === 'AlreadyExists')
          return { kind: 'exists' }
        throw error
      }
    },

    apply: (
      kind: ObjectKind,
      manifest: object,
      signal: AbortSignal,
      { subresource, force = false }: { subresource?: string; force?: boolean } = {},
    ) =>
      changing(() =>
        sendForObject(
          {
            method: 'PATCH',
            path: withSubresource(objectPath(kind, placeOf(manifest)), subresource),
            query: { fieldManager: fieldManager, force },
            body: typed(kind, manifest),
            contentType: 'application/apply-patch+yaml',
            isRepeatable: true,
          },
          signal,
        ),
      ),

    patch: (
      kind: ObjectKind,
      target: Exactly | Same,
      patch: Readonly<Record<string, unknown>>,
      signal: AbortSignal,
      subresource?: string,
    ) =>
      changing(() => {
        const conditions = 'resourceVersion' in target ? exact(target) : same(target)
        const metadata = { ...(patch.metadata as object | undefined), ...conditions }
        return sendForObject(
          {
            method: 'PATCH',
            path: withSubresource(objectPath(kind, target), subresource),
            query: { fieldManager: fieldManager },
            body: { ...patch, metadata },
            contentType: 'application/merge-patch+json',
          },
          signal,
        )
      }),

    removeFinalizer: (kind: ObjectKind, target: Same, finalizer: string, signal: AbortSignal) =>
      changing(() =>
        sendForObject(
          {
            method: 'PATCH',
            path: objectPath(kind, target),
            query: { fieldManager: fieldManager },
            body: { metadata: { ...same(target), '$deleteFromPrimitiveList/finalizers': [finalizer] } },
            contentType: 'application/strategic-merge-patch+json',
          },
          signal,
        ),
      ),

    async remove(kind, target, signal, { gracePeriodSeconds } = {}) {
      const body = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        propagationPolicy: 'Background',
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        preconditions: exact(target),
      }
      // The second of two deletes finds nothing, or a state that is not the one we named: it cannot do harm.
      const request: ApiRequest = {
        method: 'DELETE',
        path: objectPath(kind, target),
        body,
        isRepeatable: true,
      }
      try {
        await transport.send(request, signal)
        return 'removed'
      } catch (error) {
        if (isError(error, 'E_CLUSTER_NOT_FOUND')) return 'gone'
        if (isError(error, 'E_CLUSTER_CONFLICT')) return 'conflict'
        throw error
      }
    },
  }
}

/** Reads single objects past every view. */
export function createReader(transport: Transport): ClusterReader {
  return {
    async read<T extends ClusterObject>(kind: ObjectKind, place: NamespacedName, signal: AbortSignal) {
      const request: ApiRequest = { method: 'GET', path: objectPath(kind, place) }
      try {
        const { body } = await transport.send(request, signal)
        const object = parseObject(body, (given) => given as unknown as T)
        if (object === null) throw notAnApi(request, 'expected an object')
        return object
      } catch (error) {
        if (isError(error, 'E_CLUSTER_NOT_FOUND')) return undefined
        throw error
      }
    },
  }
}

async function changing(write: () => Promise<ClusterObject>): Promise<Changed> {
  try {
    return { kind: 'changed', object: await write() }
  } catch (error) {
    if (isError(error, 'E_CLUSTER_NOT_FOUND') || isOfAnother(error)) return { kind: 'gone' }
    if (isError(error, 'E_CLUSTER_CONFLICT')) return { kind: 'conflict', reason: String(error.params.reason) }
    throw error
  }
}

/** The API does not call it a conflict where a patch names the UID of another object, but an attempt to change it. */
function isOfAnother(error: unknown): boolean {
  if (!isError(error, 'E_CLUSTER_REFUSED') || error.params.code !== 422) return false
  return String(error.params.reason).includes('metadata.uid: Invalid value')
}

function typed(kind: ObjectKind, manifest: object): object {
  return { ...manifest, apiVersion: apiVersionOf(kind), kind: kind.kind }
}

function placeOf(manifest: object): NamespacedName {
  return (manifest as { metadata: NamespacedName }).metadata
}

function withSubresource(path: string, subresource: string | undefined): string {
  return subresource === undefined ? path : `${path}/${subresource}`
}

function same({ uid }: Same): { readonly uid: string } {
  if (!uid) throw new HoldfastError('E_BUG', { what: 'a write to one object does not name its uid' })
  return { uid }
}

/** An empty precondition is none for the API server: it would delete whatever stands there. */
function exact({ uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string }) {
  if (!uid || !resourceVersion) {
    throw new HoldfastError('E_BUG', { what: 'a write under preconditions names no uid or resourceVersion' })
  }
  return { uid, resourceVersion }
}
