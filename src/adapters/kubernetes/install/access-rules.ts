import type { AccessRule } from '../client/index.ts'

/** The access that Holdfast needs in the namespace of the pools. deploy/rbac.yaml grants it, and a test compares the two. */
export const namespaceRules: readonly AccessRule[] = [
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: '', resource: 'pods/log', verbs: ['get'] },
  { group: '', resource: 'resourcequotas', verbs: ['list', 'watch'] },
  { group: '', resource: 'events', verbs: ['list', 'watch', 'create', 'patch'] },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'] },
  { group: 'holdfast.dev', resource: 'runnerpools', verbs: ['list', 'watch', 'patch'] },
  { group: 'holdfast.dev', resource: 'runnerpools/status', verbs: ['patch'] },
]

/** Granted in the same namespace; without it Holdfast works, and warns. */
export const optionalRules: readonly AccessRule[] = [
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: ['create', 'patch'] },
]

/** The access that Holdfast needs to objects without a namespace. */
export const clusterRules: readonly AccessRule[] = [
  { group: '', resource: 'namespaces', verbs: ['get'] },
  { group: '', resource: 'nodes', verbs: ['list', 'watch'] },
  { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
]
