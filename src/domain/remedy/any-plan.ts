import type { AppCredentialsPlan } from './app-credentials/facts.ts'
import type { FailedRunnersPlan } from './failed-runners/facts.ts'
import type { GitlabOrphansPlan } from './gitlab-orphans/facts.ts'
import type { GitlabTokenPlan } from './gitlab-token/facts.ts'
import type { HandoffPlan } from './handoff/facts.ts'
import type { HostPlan } from './host/facts.ts'
import type { ListenerBlockerPlan } from './listener-blocker/facts.ts'
import type { OutdatedPlan } from './outdated/facts.ts'
import type { ProbeCleanPlan, ProbePlan } from './probe/facts.ts'
import type { PullSecretsPlan } from './pull-secrets/facts.ts'
import type { ReapPlan } from './reap/facts.ts'
import type { RetryProofPlan } from './retry-proof/facts.ts'
import type { SecretDriftPlan } from './secret-drift/facts.ts'
import type { StuckFinalizersPlan } from './stuck-finalizers/facts.ts'
import type { WorkdirPlan } from './workdir/facts.ts'

/** A plan of a remedy on a cluster. */
export type ClusterPlan =
  | ReapPlan
  | FailedRunnersPlan
  | HandoffPlan
  | PullSecretsPlan
  | ListenerBlockerPlan
  | SecretDriftPlan
  | GitlabOrphansPlan
  | OutdatedPlan
  | StuckFinalizersPlan
  | RetryProofPlan
  | GitlabTokenPlan
  | AppCredentialsPlan

/** A plan of any remedy, told apart by its `remedy`. */
export type AnyPlan = ClusterPlan | WorkdirPlan | HostPlan | ProbePlan | ProbeCleanPlan
