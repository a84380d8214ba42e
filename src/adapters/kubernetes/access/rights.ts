/** What Holdfast does with a resource of the cluster, and must be allowed to. */
export interface Right {
  /** Empty for the core group. */
  readonly group: string
  /** With its subresource: `pods/log`. */
  readonly resource: string
  readonly verbs: readonly string[]
}

/** In the namespace of the pools. deploy/rbac.yaml grants them, and a test compares the two. */
export const namespaceRights: readonly Right[] = [
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
  { group: '', resource: 'pods/log', verbs: ['get'] },
  { group: '', resource: 'resourcequotas', verbs: ['list', 'watch'] },
  { group: '', resource: 'events', verbs: ['list', 'watch', 'create', 'patch'] },
  { group: 'coordination.k8s.io', resource: 'leases', verbs: ['get', 'create', 'update'] },
  { group: 'holdfast.dev', resource: 'runnerpools', verbs: ['list', 'watch', 'patch'] },
  { group: 'holdfast.dev', resource: 'runnerpools/status', verbs: ['patch'] },
]

/** In the namespace of the pools as well, and granted with them; without these Holdfast works, and warns. */
export const optionalRights: readonly Right[] = [
  { group: 'networking.k8s.io', resource: 'networkpolicies', verbs: ['create', 'patch'] },
]

/** Of what belongs to no namespace. */
export const clusterRights: readonly Right[] = [
  { group: '', resource: 'namespaces', verbs: ['get'] },
  { group: '', resource: 'nodes', verbs: ['list', 'watch'] },
  { group: 'authentication.k8s.io', resource: 'tokenreviews', verbs: ['create'] },
]
