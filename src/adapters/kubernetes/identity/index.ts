export { createAgentIdentity } from './agent-identity.ts'
export { createPodIdentity, type PodIdentityOptions } from './pod-identity.ts'
