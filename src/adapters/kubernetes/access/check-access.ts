import { HoldfastError, isError } from '../../../domain/errors/index.ts'
import { apiVersionOf, collectionPath } from '../paths.ts'
import { runnerPools } from '../pools/object.ts'
import type { ApiRequest } from '../transport/request.ts'
import type { Wire } from '../transport/send.ts'
import { clusterRights, namespaceRights, type Right } from './rights.ts'

/** Throws, with all that is missing, where Holdfast could not do its work in this namespace. Changes nothing. */
export type CheckAccess = (namespace: string, signal: AbortSignal) => Promise<void>

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

export function createCheckAccess(wire: Wire): CheckAccess {
  return async (namespace, signal) => {
    const asked = [
      ...namespaceRights.flatMap((right) => questions(right, namespace)),
      ...clusterRights.flatMap((right) => questions(right)),
    ]
    const denied = await Promise.all(asked.map((question) => isDenied(wire, question, namespace, signal)))
    const missing = asked.filter((_, index) => denied[index]).map(textOf)
    if (missing.length > 0) throw new HoldfastError('E_CLUSTER_RIGHTS', { namespace, missing })
    await mustKnowPools(wire, namespace, signal)
  }
}

interface Question {
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** Unset: of the whole cluster. */
  readonly namespace?: string
}

function questions({ group, resource, verbs }: Right, namespace?: string): Question[] {
  return verbs.map((verb) => ({ group, resource, verb, ...(namespace !== undefined && { namespace }) }))
}

async function isDenied(
  wire: Wire,
  { group, resource: whole, verb, namespace }: Question,
  home: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [resource, subresource] = whole.split('/')
  // The right to read the one namespace is enough.
  const named = resource === 'namespaces' ? { name: home, namespace: home } : { namespace }
  const request: ApiRequest = {
    ...{ method: 'POST', path: REVIEWS, isRepeatable: true },
    body: {
      ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
      spec: { resourceAttributes: { group, resource, subresource, verb, ...named } },
    },
  }
  try {
    const { body } = await wire.send(request, signal)
    return (body as { status?: { allowed?: unknown } } | null)?.status?.allowed === false
  } catch (error) {
    // Where nobody may even ask, the first real request says what is missing.
    if (isError(error, 'E_CLUSTER_REFUSED') && error.params.code === 403) return false
    throw error
  }
}

async function mustKnowPools(wire: Wire, namespace: string, signal: AbortSignal): Promise<void> {
  const path = collectionPath(runnerPools, namespace)
  try {
    await wire.send({ method: 'GET', path, query: { limit: 1 } }, signal)
  } catch (error) {
    if (!isError(error, 'E_CLUSTER_NOT_FOUND')) throw error
    const kind = `${runnerPools.kind} (${apiVersionOf(runnerPools)})`
    throw new HoldfastError('E_CLUSTER_KIND_MISSING', { kind }, error)
  }
}

function textOf({ verb, resource, group, namespace }: Question): string {
  const what = group === '' ? resource : `${resource}.${group}`
  return `${verb} ${what}${namespace === undefined ? ' (cluster-wide)' : ''}`
}
