export { type AgentIdentityOptions, createAgentIdentity } from './agent-identity.ts'
export type { BoundPod } from './bound-pod.ts'
export { createPodIdentity, type PodIdentityOptions } from './identity.ts'
export { createReviewToken, type ReviewToken, type TokenReview } from './review.ts'
