import type { ObjectKind } from '../../../ports/cluster.ts'

/** The kinds of Kubernetes itself that are read or written here. */
export const kinds = {
  pods: core('pods', 'Pod'),
  quotas: core('resourcequotas', 'ResourceQuota'),
  events: core('events', 'Event'),
  secrets: core('secrets', 'Secret'),
  nodes: { ...core('nodes', 'Node'), isNamespaced: false },
  namespaces: { ...core('namespaces', 'Namespace'), isNamespaced: false },
  leases: {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    isNamespaced: true,
  },
  networkPolicies: {
    group: 'networking.k8s.io',
    version: 'v1',
    plural: 'networkpolicies',
    kind: 'NetworkPolicy',
    isNamespaced: true,
  },
} as const satisfies Record<string, ObjectKind>

function core(plural: string, kind: string): ObjectKind {
  return { group: '', version: 'v1', plural, kind, isNamespaced: true }
}
