import type { Instant } from '../time.ts'
import type { ObjectFact, ObjectRef } from './object.ts'
import type { PodTemplateFact } from './pod.ts'

/** The controller of the runners: GitHub's actions-runner-controller, or Holdfast. */
type FleetOrigin = 'arc' | 'holdfast'

/** An entry of a key vault that holds a credential: only its name is known in the cluster. */
export interface CredentialVaultFact {
  /** `azure_key_vault` is the only one that ARC knows up to 0.14. */
  readonly type: string
  readonly address: string | null
  readonly entry: string | null
}

/** A set of runners that scales: ARC's AutoscalingRunnerSet, or a pool of Holdfast. */
export interface ScaleSetFact extends ObjectFact {
  readonly origin: FleetOrigin
  /** The release that wrote it, by its label; null where it says none. ARC's main branch still says 0.14.2. */
  readonly version: string | null
  /** Labels that workflows name in `runs-on`: the set's own name, or from 0.14 its labels. */
  readonly runnerLabels: readonly string[]
  readonly runnerGroup: string | null
  readonly configUrl: string | null
  /** Name of the Secret with its credential, in its own namespace; null where there is none, or it is in a vault. */
  readonly credentialSecret: string | null
  /** Where ARC reads the credential from a key vault (0.12 and later) instead of a Secret. */
  readonly credentialVault: CredentialVaultFact | null
  readonly minRunners: number
  /** Null: no maximum is declared. */
  readonly maxRunners: number | null
  readonly template: PodTemplateFact
  /** The number that the forge gave the set; null where it was never registered, or was removed there. */
  readonly forgeScaleSetId: string | null
  /** Null in releases without phases (ARC up to 0.12). It says nothing about the listener. */
  readonly phase: string | null
  /** `integrity-hash` (single-set layout after 0.14.2), else `change-hash`; null where there is none. */
  readonly specHash: string | null
  /** Whether the release keeps one EphemeralRunnerSet for the set's life and patches it (main branch after 0.14.2). */
  readonly isSingleSetLayout: boolean
  /** Copied by the controller at times: stale in every release, and never a count to judge by. */
  readonly reportedRunners: number | null
}

/** ARC's AutoscalingListener. Its pod has the same name and namespace. */
export interface ListenerFact extends ObjectFact {
  readonly scaleSet: ObjectRef
  readonly runnerSetName: string
  readonly minRunners: number
  readonly maxRunners: number | null
  readonly image: string
  readonly credentialSecret: string | null
  readonly imagePullSecrets: readonly string[]
}

/** One generation of a set's runners: ARC's EphemeralRunnerSet. */
export interface RunnerSetFact extends ObjectFact {
  readonly scaleSet: ObjectRef | null
  /** `runner-spec-hash`, or `integrity-hash` in the single-set layout. */
  readonly specHash: string | null
  /** Desired; zero values are left out by the API server and read as 0. */
  readonly replicas: number
  readonly patchId: number
  readonly phase: string | null
  /** Images of its containers by container name. */
  readonly images: Readonly<Record<string, string>>
  /** Frozen once the set is being deleted or Outdated; null where the set has no status. */
  readonly reported: {
    readonly current: number
    readonly pending: number
    readonly running: number
    readonly failed: number
  } | null
}

/** The job that a runner's own object names. Written by the listener: without one, an absent job proves nothing. */
export interface RunnerJobFact {
  readonly requestId: string | null
  readonly id: string | null
  readonly name: string | null
  readonly repository: string | null
  readonly workflowRef: string | null
  readonly runId: number | null
}

/** One runner: ARC's EphemeralRunner, or a runner of Holdfast. Its pod has the same name. */
export interface RunnerFact extends ObjectFact {
  readonly origin: FleetOrigin
  readonly scaleSet: ObjectRef | null
  readonly runnerSet: { readonly name: string; readonly uid: string } | null
  /** Null while ARC has not made its pod. `Running` outlives the pod. */
  readonly phase: string | null
  readonly reason: string | null
  readonly message: string | null
  readonly isReady: boolean
  readonly forgeRunnerId: number | null
  readonly job: RunnerJobFact | null
  /** Pods of it that failed, oldest first; without a time where the release notes none. */
  readonly failures: readonly { readonly podUid: string; readonly at: Instant | null }[]
  readonly specHash: string | null
  readonly images: Readonly<Record<string, string>>
}
