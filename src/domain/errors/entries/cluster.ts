import { type ErrorEntry, exitCodes, itemLines } from '../entry.ts'

/** The Kubernetes cluster: its API, our place in it and our right to write. */
export const cluster = {
  E_CLUSTER_CONFIG: {
    status: 500,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ where, problem }) => `The way to the cluster is not usable (${where}): ${problem}.`,
    hint: 'In a cluster, mount a service account; elsewhere, name a file that kubectl accepts, as fleet.kubeconfig or KUBECONFIG.',
  },
  E_CLUSTER_CREDENTIALS: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.config,
    message: ({ source, reason }) =>
      `The credentials for the cluster cannot be had from ${source}: ${reason}.`,
    hint: 'They are tried again at each request. Check the file or run the command by hand.',
  },
  E_CLUSTER_UNREACHABLE: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ call, reason, outcomeUnknown }) =>
      `The cluster gave no usable answer to ${call}: ${reason}.${outcomeUnknown ? ' Whether it took effect is unknown.' : ''}`,
    hint: 'Holdfast tries again by itself and removes nothing meanwhile; look at the API server if this goes on.',
  },
  E_CLUSTER_THROTTLED: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ call, reason, retryAfterMs }) =>
      `The cluster is too busy for ${call}: ${reason}. It asks for ${retryAfterMs} ms of patience.`,
    hint: 'Holdfast waits and tries again; if this goes on, give its service account a priority level of its own.',
  },
  E_CLUSTER_REFUSED: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ call, code, reason }) => `The cluster refused ${call} (${code}): ${reason}`,
    hint: 'Nothing was changed. 401 and 403 concern credentials, rights and quotas; 400 and 422 the object itself.',
  },
  E_CLUSTER_RIGHTS: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ namespace, missing }) =>
      `Holdfast may not do its work in the namespace "${namespace}". It needs the right to:${itemLines(missing)}`,
    hint: 'Give them to its service account, as deploy/rbac.yaml does, or name the namespace where it has them as fleet.namespace: one that does not exist looks the same. Nothing was changed.',
  },
  E_UNINSTALL_LEADER: {
    status: 409,
    retryable: false,
    exitCode: exitCodes.refused,
    message: ({ holder, namespace }) =>
      `Holdfast runs: ${holder} holds the lease of the namespace ${namespace}, and would create again what is removed.`,
    hint: 'Stop every Holdfast of this namespace first (scale its deployment to 0), then uninstall.',
  },
  E_UNINSTALL_LEDGER: {
    status: 400,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ count }) =>
      `${count} pod(s) still need their record sealed, and no ledger is named to seal it in.`,
    hint: 'Name it (databaseUrl, HOLDFAST_DATABASE_URL); or give the records up with --without-ledger.',
  },
  E_CLUSTER_NAMESPACE_MISSING: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ namespace }) => `The cluster has no namespace "${namespace}" to run runners in.`,
    hint: 'Create it with `kubectl create namespace`, or name another one as fleet.namespace. Nothing was changed.',
  },
  E_CLUSTER_KIND_MISSING: {
    status: 502,
    retryable: false,
    exitCode: exitCodes.config,
    message: ({ kind }) => `The cluster does not know the kind ${kind}, in which pools are declared.`,
    hint: 'Install it with `kubectl apply -f deploy/crds` and start again. Nothing was changed.',
  },
  E_CLUSTER_NOT_FOUND: {
    status: 404,
    retryable: false,
    exitCode: exitCodes.notFound,
    message: ({ call, reason }) => `The cluster has nothing at ${call}: ${reason}`,
    hint: 'If it names a kind of resource, install its CustomResourceDefinition; if an object, it is gone.',
  },
  E_CLUSTER_CONFLICT: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ call, reason }) => `The cluster refused ${call}, because things changed meanwhile: ${reason}`,
    hint: 'Nothing was changed. It is read again and decided again.',
  },
  E_CLUSTER_EXPIRED: {
    status: 410,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ call, reason }) => `The cluster does not remember as far back as ${call} asks: ${reason}`,
    hint: 'Holdfast lists everything again by itself.',
  },
  E_CLUSTER_ANSWER: {
    status: 502,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ call, problem }) => `The answer to ${call} is not one that an API server gives: ${problem}.`,
    hint: 'Look for a proxy between Holdfast and the API server, and check the server address.',
  },
  E_CLUSTER_NOT_LEADER: {
    status: 409,
    retryable: true,
    exitCode: exitCodes.refused,
    message: ({ holder, reason }) => `${holder} may not write to the cluster any more: ${reason}.`,
    hint: 'Nothing was sent. The present leader does the work; this process waits for its next term.',
  },
  E_CLUSTER_VIEW_OLD: {
    status: 503,
    retryable: true,
    exitCode: exitCodes.unavailable,
    message: ({ view, state, problem }) =>
      `The cache of the cluster's ${view} is stale: ${state}${problem ? ` (${problem})` : ''}.`,
    hint: 'Nothing is concluded from it and nothing is removed; look at the API server if this goes on.',
  },
} as const satisfies Record<string, ErrorEntry>
