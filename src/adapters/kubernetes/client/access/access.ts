import { HoldfastError, isError } from '../../../../domain/errors/index.ts'
import type { ObjectKind } from '../../../../ports/cluster.ts'
import { apiVersionOf, collectionPath } from '../paths.ts'
import type { ApiRequest } from '../transport/request.ts'
import type { Transport } from '../transport/send.ts'

/** Verbs on one resource of the API. */
export interface AccessRule {
  /** Empty for the core group. */
  readonly group: string
  /** With its subresource: `pods/log`. */
  readonly resource: string
  readonly verbs: readonly string[]
}

interface AccessRules {
  readonly inNamespace: readonly AccessRule[]
  readonly clusterWide: readonly AccessRule[]
}

/** Asks the API server about our own access. Changes nothing. */
export interface Access {
  /** The verbs that are denied, as texts such as `delete pods`. */
  listDenied(rules: AccessRules, namespace: string, signal: AbortSignal): Promise<readonly string[]>
  /** Throws E_CLUSTER_KIND_MISSING where the API server does not serve this kind. */
  requireKind(kind: ObjectKind, namespace: string, signal: AbortSignal): Promise<void>
}

const reviewsPath = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

export function createAccess(transport: Transport): Access {
  return {
    async listDenied({ inNamespace, clusterWide }, namespace, signal) {
      const questions = [
        ...inNamespace.flatMap((rule) => questionsOf(rule, namespace)),
        ...clusterWide.flatMap((rule) => questionsOf(rule)),
      ]
      const denied = await Promise.all(
        questions.map((question) => isDenied(transport, question, namespace, signal)),
      )
      return questions.filter((_, index) => denied[index]).map(textOf)
    },
    requireKind: (kind, namespace, signal) => requireKind(transport, kind, namespace, signal),
  }
}

interface Question {
  readonly group: string
  readonly resource: string
  readonly verb: string
  /** Unset: cluster-wide. */
  readonly namespace?: string
}

function questionsOf({ group, resource, verbs }: AccessRule, namespace?: string): Question[] {
  return verbs.map((verb) => ({ group, resource, verb, ...(namespace !== undefined && { namespace }) }))
}

async function isDenied(
  transport: Transport,
  { group, resource: whole, verb, namespace }: Question,
  home: string,
  signal: AbortSignal,
): Promise<boolean> {
  const [resource, subresource] = whole.split('/')
  // The right to read the one namespace is enough.
  const named = resource === 'namespaces' ? { name: home, namespace: home } : { namespace }
  const request: ApiRequest = {
    method: 'POST',
    path: reviewsPath,
    isRepeatable: true,
    body: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: { group, resource, subresource, verb, ...named } },
    },
  }
  try {
    const { body } = await transport.send(request, signal)
    return (body as { status?: { allowed?: unknown } } | null)?.status?.allowed === false
  } catch (error) {
    // Where even a review is forbidden, the first real request says which access is missing.
    if (isError(error, 'E_CLUSTER_REFUSED') && error.params.code === 403) return false
    throw error
  }
}

async function requireKind(
  transport: Transport,
  kind: ObjectKind,
  namespace: string,
  signal: AbortSignal,
): Promise<void> {
  const path = collectionPath(kind, namespace)
  try {
    await transport.send({ method: 'GET', path, query: { limit: 1 } }, signal)
  } catch (error) {
    if (!isError(error, 'E_CLUSTER_NOT_FOUND')) throw error
    throw new HoldfastError('E_CLUSTER_KIND_MISSING', { kind: `${kind.kind} (${apiVersionOf(kind)})` }, error)
  }
}

function textOf({ verb, resource, group, namespace }: Question): string {
  const target = group === '' ? resource : `${resource}.${group}`
  return `${verb} ${target}${namespace === undefined ? ' (cluster-wide)' : ''}`
}
