export { randomGuid, randomHex } from './context.ts'
export { createForgeCore, type ForgeCore, type ForgeCoreOptions } from './forge.ts'
export { lostCommunication, type NewJob, type NewRun, type Submitted } from './jobs.ts'
export {
  type Conclusion,
  type ForgeDelays,
  githubDelays,
  type Job,
  type JobStatus,
  type Repository,
  type Run,
  type Runner,
  type Webhook,
} from './model.ts'
export {
  type Json,
  jobPayload,
  type Links,
  repositoryPayload,
  runnerPayload,
  runPayload,
  webhookPayload,
} from './payload.ts'
export type { RunStatus } from './run-status.ts'
export type { ConnectResult, MintOrder, MintResult, PollResult } from './runners.ts'
export type { Change, Counters, Snapshot } from './store.ts'
export type { JobTruth, Overlap, RunnerTruth, Truth } from './truth.ts'
