export { randomGuid, randomHex } from './context.ts'
export { createForgeCore, type ForgeCore, type ForgeCoreOptions } from './forge.ts'
export { lostCommunication } from './jobs.ts'
export {
  type Conclusion,
  type Delivery,
  type ForgeDelays,
  githubDelays,
  type Job,
  type JobStatus,
  type Message,
  type NewJob,
  type NewRun,
  type Repository,
  type Run,
  type Runner,
  type Submitted,
  type Webhook,
} from './model.ts'
export {
  annotationPayload,
  appPayload,
  deliveryPayload,
  fullRepositoryPayload,
  hookId,
  hookPayload,
  installationId,
  installationPayload,
  type Json,
  jobPayload,
  type Links,
  repositoryPayload,
  runnerGroupPayload,
  runnerPayload,
  runPayload,
  tokenPayload,
} from './payload/index.ts'
export type { RunStatus } from './run-status.ts'
export type { ConnectResult, MintOrder, MintResult, PollResult } from './runners.ts'
export { organizationScope } from './scope.ts'
export type { Change, Counters, Snapshot } from './store.ts'
export type { JobTruth, Overlap, RunnerTruth, Truth } from './truth.ts'
export type { RerunChoice } from './workflow.ts'
