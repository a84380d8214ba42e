export { type Cluster, createCluster, findConnection, type Reflector } from './client/index.ts'
export { readForeignRunner } from './foreign/index.ts'
export { createPodHost, type PodHost, readHostId } from './host/index.ts'
export {
  createAgentIdentity,
  createPodIdentity,
} from './identity/index.ts'
export {
  checkAccess,
  findLeftovers,
  type Leftover,
  type Leftovers,
  podActivityOf,
  removeLeftover,
} from './install/index.ts'
export { applyNetworkPolicy } from './pods/index.ts'
export { createDeclaredPools } from './pools/index.ts'
export {
  createArcNudges,
  createProbes,
  createRemedyCluster,
  createRemedyCredentials,
  createRemedyManagers,
  createRemedyPods,
  createRemedySecrets,
  createSecretValues,
  createStoredCredentials,
  readControllerLog,
} from './remedy/index.ts'
export { createClusterFactsReader } from './snapshot/index.ts'
