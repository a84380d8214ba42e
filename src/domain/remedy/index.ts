export { tokenKeys } from '../audit/gitlab/rules/token.ts'
export type { AnyPlan, ClusterPlan } from './any-plan.ts'
export { appCredentials } from './app-credentials/app-credentials.ts'
export type { AppCredentialsFacts, AppCredentialsScope } from './app-credentials/facts.ts'
export { applyCommand, judgeAppAccepted, judgeAppKeys, judgeNamed } from './app-credentials/judge-app.ts'
export {
  type CredentialCopies,
  credentialHash,
  credentialKeys,
  judgeSameCredential,
  shortHashes,
} from './credential/copies.ts'
export { judgeProvenBySession, type SessionReading } from './credential/session.ts'
export type { FailedRunnersFacts, FailedRunnersScope } from './failed-runners/facts.ts'
export { failedRunners } from './failed-runners/failed-runners.ts'
export { selectFailed } from './failed-runners/select.ts'
export { failedOf, type GateResult, gatesText, judgeGates, masked, type Verdict } from './gate.ts'
export type {
  GitlabJobReading,
  GitlabOrphansFacts,
  GitlabOrphansScope,
  PodsReading,
} from './gitlab-orphans/facts.ts'
export { gitlabOrphans } from './gitlab-orphans/gitlab-orphans.ts'
export { selectOrphans } from './gitlab-orphans/select.ts'
export type {
  DeploymentReading,
  GitlabRunnerReading,
  GitlabTokenFacts,
  GitlabTokenScope,
  ManagerPod,
  ManagerReading,
} from './gitlab-token/facts.ts'
export { gitlabToken } from './gitlab-token/gitlab-token.ts'
export type { HandoffFacts, HandoffScope } from './handoff/facts.ts'
export { handoff } from './handoff/handoff.ts'
export { holdersOf, reasonToStay, serves } from './handoff/select.ts'
export type { HostFacts, HostLook, HostPlan } from './host/facts.ts'
export { processesOf } from './host/gates.ts'
export { plannedHost } from './host/planned.ts'
export { drainRechecks, hostDrain, hostStart, startRechecks } from './host/service.ts'
export type { ListenerBlockerFacts, ListenerBlockerScope } from './listener-blocker/facts.ts'
export { listenerBlocker } from './listener-blocker/listener-blocker.ts'
export { blockersOf, reasonNotBlocking } from './listener-blocker/select.ts'
export {
  isEnded,
  isRefusal,
  type RemedyEvent,
  type RemedyState,
  remedyAfter,
  remedyMoves,
  remedyStates,
} from './machine.ts'
export type { OutdatedFacts, OutdatedScope } from './outdated/facts.ts'
export { judgeRenewed, judgeStays, judgeTakenDown } from './outdated/judge-set.ts'
export { outdated } from './outdated/outdated.ts'
export {
  type Plan,
  type PlannedObject,
  planHash,
  planVersion,
  type SkippedObject,
} from './plan.ts'
export type {
  LaneReading,
  ProbeCleanFacts,
  ProbeCleanPlan,
  ProbeCleanScope,
  ProbeFacts,
  ProbeKind,
  ProbePlan,
  ProbeScope,
} from './probe/facts.ts'
export { probeKinds } from './probe/facts.ts'
export { judgeProbe } from './probe/judge-probe.ts'
export { probeEnv, probeVariables, runnerOf } from './probe/lane.ts'
export {
  probeDeadlineAnnotation,
  probeIdAnnotation,
  probeLabel,
  probeMarks,
  probePlace,
} from './probe/marks.ts'
export { deadlineSecondsMax, probe, probeClean } from './probe/probe.ts'
export type { ProbeVerdict } from './probe/verdict.ts'
export {
  absent,
  type PullSecretsFacts,
  type PullSecretsScope,
  type SecretReading,
} from './pull-secrets/facts.ts'
export { hashOf, judgeWaiting, pullSecretKey } from './pull-secrets/judge-copy.ts'
export { pullSecrets } from './pull-secrets/pull-secrets.ts'
export type { ForgeReading, JobReading, JobRef, SetReading } from './reading.ts'
export type { ReapFacts, ReapPlan } from './reap/facts.ts'
export { reap } from './reap/reap.ts'
export type { ReapScope } from './reap/scope.ts'
export { selectRunners } from './reap/select.ts'
export type { Remedy, RemedyFacts } from './remedy.ts'
export type {
  ProofReading,
  RetryProofFacts,
  RetryProofScope,
} from './retry-proof/facts.ts'
export { judgeDeclared, judgeTransient, ranOn } from './retry-proof/rechecks.ts'
export { retryProof } from './retry-proof/retry-proof.ts'
export type { RunnerFacts, RunnerTarget } from './runner/facts.ts'
export { registrationFinalizer } from './runner/rechecks.ts'
export type { SecretDriftFacts, SecretDriftScope } from './secret-drift/facts.ts'
export { secretDrift } from './secret-drift/secret-drift.ts'
export type {
  CredentialReading,
  StuckFinalizersFacts,
  StuckFinalizersScope,
} from './stuck-finalizers/facts.ts'
export { judgeAccepted } from './stuck-finalizers/judge-credential.ts'
export { reasonNotStuck, stuckFinalizers } from './stuck-finalizers/stuck-finalizers.ts'
export type { WorkdirFacts, WorkdirPlan } from './workdir/facts.ts'
export { plannedFolder } from './workdir/planned.ts'
export { workdirRechecks } from './workdir/rechecks.ts'
export { workdirRemediate } from './workdir/workdir.ts'
