import { z } from 'zod'
import { isError } from '../../../../domain/errors/index.ts'
import type { Instant } from '../../../../domain/time.ts'
import type { NamespacedName } from '../../../../ports/cluster.ts'
import { kinds } from '../kinds.ts'
import { apiVersionOf, collectionPath, objectPath } from '../paths.ts'
import type { ApiRequest } from '../transport/request.ts'
import { notAnApi, type Transport } from '../transport/send.ts'

const kind = kinds.leases

/** Fields of others are kept as they were read. */
const leaseSchema = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string().regex(/^\d+$/) }),
  spec: z
    .looseObject({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      leaseTransitions: z.number().nullish(),
    })
    .default({}),
})
export type Lease = z.infer<typeof leaseSchema>

export interface Claim {
  /** Empty: nobody's. */
  readonly holder: string
  readonly durationSeconds: number
  readonly at: Instant
  /** Whether this begins a term, rather than prolonging one. */
  readonly isNew: boolean
}

export interface LeaseCalls {
  read(signal: AbortSignal): Promise<Lease | null>
  /** Null: somebody was faster. */
  create(claim: Claim, signal: AbortSignal): Promise<Lease | null>
  /** Takes effect on exactly the lease that was read; null: it is another by now. */
  replace(lease: Lease, claim: Claim, signal: AbortSignal): Promise<Lease | null>
}

/** The three calls on one lease; none is repeated here, since each is worth something only at its time. */
export function leaseCalls(transport: Transport, place: NamespacedName, timeoutMs: number): LeaseCalls {
  async function send(request: ApiRequest, signal: AbortSignal): Promise<Lease> {
    const { body } = await transport.send({ ...request, timeoutMs }, signal)
    const result = leaseSchema.safeParse(body)
    if (result.success) return result.data
    throw notAnApi(request, 'expected a Lease with a decimal resourceVersion')
  }
  const nullAt = async (code: 'E_CLUSTER_NOT_FOUND' | 'E_CLUSTER_CONFLICT', call: Promise<Lease>) => {
    try {
      return await call
    } catch (error) {
      if (isError(error, code)) return null
      throw error
    }
  }
  const path = objectPath(kind, place)
  return {
    read: (signal) => nullAt('E_CLUSTER_NOT_FOUND', send({ method: 'GET', path }, signal)),
    create(claim, signal) {
      const body = {
        apiVersion: apiVersionOf(kind),
        kind: kind.kind,
        metadata: { name: place.name, namespace: place.namespace },
        spec: specOf({}, claim),
      }
      const request: ApiRequest = { method: 'POST', path: collectionPath(kind, place.namespace), body }
      return nullAt('E_CLUSTER_CONFLICT', send(request, signal))
    },
    async replace(lease, claim, signal) {
      const request: ApiRequest = { method: 'PUT', path, body: { ...lease, spec: specOf(lease.spec, claim) } }
      // Deleted meanwhile: the next look finds nothing and creates it.
      return nullAt(
        'E_CLUSTER_NOT_FOUND',
        nullAt('E_CLUSTER_CONFLICT', send(request, signal)) as Promise<Lease>,
      )
    },
  }
}

function specOf(before: Lease['spec'], { holder, durationSeconds, at, isNew }: Claim): Lease['spec'] {
  const time = `${new Date(at).toISOString().slice(0, -1)}000Z` // the API's MicroTime has six places
  return {
    ...before,
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    renewTime: time,
    ...(isNew && { acquireTime: time, leaseTransitions: (before.leaseTransitions ?? 0) + 1 }),
  }
}
