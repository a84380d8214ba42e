export type { Accounts } from './accounts.ts'

export { randomHex } from './context.ts'
export { createForgeCore, type ForgeCoreOptions } from './forge.ts'
export type { ForgeCore } from './forge-core.ts'
export { admits, defaultGroup } from './groups.ts'

export { lostCommunication } from './jobs.ts'
export {
  type Delivery,
  type ForgeDelays,
  hookEvents,
  type Installation,
  type Job,
  type NewJob,
  type NewRun,
  type Repository,
  type Run,
  type Runner,
  type RunnerGroup,
  refusalKinds,
  type Webhook,
} from './model.ts'
export {
  actionOf,
  annotationPayload,
  appPayload,
  defaultBranch,
  defaultEvent,
  deliveryPayload,
  deploymentPayload,
  developerLogin,
  enterpriseAccount,
  fullOrganizationPayload,
  fullRepositoryPayload,
  headSha,
  hookId,
  hookPayload,
  installationPayload,
  isoTime,
  type Json,
  jobPayload,
  type Links,
  minimalRepositoryPayload,
  organizationPayload,
  pendingPayload,
  repositoryPayload,
  runnerGroupPayload,
  runnerLabels,
  runnerPayload,
  runPayload,
  tokenPayload,
  workflowPayload,
} from './payload/index.ts'
export type { Rerun, RerunChoice } from './rerun.ts'
export type { RunStatus } from './run-status.ts'
export type { MintOrder, PollResult } from './runners.ts'
export { enterpriseScope, organizationScope } from './scope.ts'
export { jobSteps } from './steps.ts'
export type { Change, Counters, Snapshot } from './store.ts'
export type { JobTruth, Truth } from './truth.ts'
export type { Reads } from './view.ts'
