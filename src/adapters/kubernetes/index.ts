export { type Cluster, type ClusterOptions, createCluster } from './cluster.ts'
export type { Connection, Credentials } from './connection/credentials.ts'
export { findConnection } from './connection/find.ts'
export { inClusterConnection } from './connection/in-cluster.ts'
export { kubeconfigConnection } from './connection/kubeconfig-connection.ts'
export { type ForeignDeps, readForeignRunner } from './foreign/index.ts'
export { createPodHost, type PodHost, type PodHostOptions, readHostId } from './host/index.ts'
export {
  type BoundPod,
  createAgentIdentity,
  createPodIdentity,
  type PodIdentityOptions,
} from './identity/index.ts'
export type { Elector } from './lease/elector.ts'
export { keyOf } from './paths.ts'
export { applyNetworkPolicy } from './pods/index.ts'
export {
  type ClusterPools,
  createDeclaredPools,
  type DeclaredPoolsOptions,
  runnerPools,
} from './pools/index.ts'
export type { Reflector, ReflectorCounts, ReflectorOptions } from './reflector/reflector.ts'
export {
  findLeftovers,
  type Leftover,
  type Leftovers,
  removeLeftover,
  standingOf,
} from './uninstall/index.ts'
export { createWorkQueue, type WorkQueueOptions } from './work-queue/work-queue.ts'
export { FIELD_MANAGER } from './write/writer.ts'
