import type { AgentSettings } from '../agent/index.ts'
import type { Check } from '../domain/examination.ts'
import type {
  AppCredentialsScope,
  ClusterPlan,
  GitlabTokenScope,
  HandoffScope,
  HostPlan,
  ProbeCleanPlan,
  ProbeKind,
  ProbePlan,
  ProbeScope,
  ProbeVerdict,
  RemedyState,
  RetryProofScope,
  WorkdirPlan,
} from '../domain/remedy/index.ts'
import type { ApplyRecord } from '../domain/remedy/managed-apply/index.ts'
import type { ObjectRef, Snapshot } from '../domain/snapshot/index.ts'
import type { TrailHead, TrailRow } from '../domain/trail/index.ts'
import type { FolderMode, HostReading, RunnerHost } from '../domain/workdir/index.ts'
import type { Config, ConfigInputs, Environment, ReadFile } from '../platform/config/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import type { ForeignRunner } from '../ports/foreign-runner.ts'
import type { RemedyStore } from '../ports/remedy-store.ts'
import type { RunReport } from '../remedy/index.ts'
import type { ApplyOrder, ApplyReport, ResumeOrder } from '../remedy/managed-apply/index.ts'
import type { CollectOrder } from '../snapshot/index.ts'

/** Where Holdfast serves, for the banner of `holdfast up`. */
export interface ServingAt {
  readonly url: string
  readonly forge: { readonly kind: string; readonly url: string }
  /** Where runners run; `where` is text for people. */
  readonly fleet: { readonly kind: string; readonly where: string; readonly warning: string | null }
  readonly dataDir: string
  readonly database: string
}

/** Programs that the commands start; wired in main. */
export interface Roles {
  /** Runs everything until a signal; returns the exit code. It reads changed secrets again from `inputs`. */
  up(config: Config, onServing: (serving: ServingAt) => void, inputs: ConfigInputs): Promise<number>
  migrate(
    config: Config,
    options: { readonly dryRun: boolean },
  ): Promise<{ readonly applied: readonly string[]; readonly pending: readonly string[] }>
  /** Checks this machine without changing anything. */
  examine(config: Config): Promise<readonly Check[]>
  rotateKeys(config: Config): Promise<{ readonly keyId: string }>
  /** Runs the simulated forge alone until a signal; returns the exit code. */
  simForge(config: Config, onServing: (serving: { readonly url: string }) => void): Promise<number>
  /** Watches this node until a signal; on Linux the process execs another program. */
  agent(settings: AgentSettings, level: Config['log']['level'], onReady: () => void): Promise<number>
  /** Removes everything of ours from a cluster's namespace, or lists what it would remove. */
  uninstall(config: Config, order: UninstallOrder): Promise<UninstallReport>
  /** Reads a runner that is not ours from its cluster. Throws E_SUBJECT_UNKNOWN where nothing of it is left. */
  readForeignRunner(order: ForeignOrder, signal: AbortSignal): Promise<ForeignRunner>
  /** Reads the facts of a fleet. A source that fails is unread in the snapshot; throws where nothing could be read. */
  collectSnapshot(config: Config, order: SnapshotOrder, signal: AbortSignal): Promise<Snapshot>
  /** Throws E_SNAPSHOT_… for everything that is no snapshot. */
  readSnapshot(file: string): Promise<Snapshot>
  /** Writes all of a file or nothing. Throws E_SNAPSHOT_EXISTS before it collects. */
  writeSnapshot(file: string, order: WriteOrder): Promise<WrittenSnapshot>
  /** Looks at the work folder of a persistent runner, and changes nothing. A host that does not answer is a reading, too. */
  lookAtRunnerHost(host: RunnerHost, signal: AbortSignal): Promise<HostReading>
  /** Plans the removal of idle runners, or applies a plan. Throws E_PLAN_…, E_REMEDY_… and E_TRAIL_BROKEN: then nothing was done. */
  reap(config: Config, order: ReapOrder, signal: AbortSignal): Promise<RemedyReport>
  /** Plans one fix of a fleet, or applies a plan of it. Throws as `reap` does. */
  fix(config: Config, order: FixOrder, signal: AbortSignal): Promise<RemedyReport>
  /** Runs, resumes or aborts a managed apply. Throws E_APPLY_…, E_REMEDY_… and E_TRAIL_BROKEN. */
  managedApply(
    config: Config,
    order: ManagedApplyOrder,
    onProgress: (line: string) => void,
    signal: AbortSignal,
  ): Promise<ManagedApplyReport>
  /** The records of managed applies in the data folder, newest first. */
  readApplies(config: Config): Promise<readonly ApplyRecord[]>
  /** Plans a change to the host of a persistent runner, or applies a plan. Throws as `reap` does: then nothing was done. */
  treatHost(config: Config, order: HostOrder, signal: AbortSignal): Promise<HostTreated>
  /** Plans a probe of a lane, or applies a plan of it and removes its pod. Throws as `reap` does: then nothing was done. */
  probe(config: Config, order: ProbeWish, signal: AbortSignal): Promise<ProbeReport>
  /** Reads the trail of the ledger, or of the data folder; a noted head is one that somebody kept elsewhere. */
  readTrail(config: Config, noted: TrailHead | null, signal: AbortSignal): Promise<TrailReport>
  /** Writes a new file. Throws E_CONTRACT_UNWRITABLE, also where the file is there already. */
  createTextFile(file: string, text: string): Promise<void>
}

/** Where to read a fleet's facts, and which. */
export interface SnapshotOrder extends CollectOrder {
  /** Unset: as kubectl finds it. */
  readonly kubeconfig: string | undefined
  /** A context of the kubeconfig; unset: its current one. */
  readonly context: string | undefined
  /** Files with GitHub's answers, for people without a credential. */
  readonly files: {
    /** Without a scope: that of the only organisation or repository there is. */
    readonly runners: readonly { readonly scope: string | null; readonly path: string }[]
    readonly jobs: readonly string[]
    /** Each of a job in the files of jobs. */
    readonly logs?: readonly { readonly jobId: number; readonly path: string }[]
  }
}

/** How a remedy is run: it plans, or applies a plan that was approved. */
export interface RemedyOrder {
  /** The hash of an approved plan; null: plan. */
  readonly apply: string | null
  /** Applies its own plan: nobody watches. */
  readonly isUnattended: boolean
  readonly controllerNamespace: string
  /** Unset: as kubectl finds it. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

/** The scale sets that a remedy looks at. */
export interface SetsChoice {
  /** Null: all of them. */
  readonly sets: readonly ObjectRef[] | null
  readonly namespaces: readonly string[] | null
}

/** The part of a fleet that `reap` looks at, and how far it may go. */
export interface ReapOrder extends RemedyOrder {
  readonly scope: SetsChoice & { readonly isStaleGeneration: boolean; readonly minAgeMs: number }
}

/** One fix, and the part of a fleet that it looks at. */
export type FixOrder = RemedyOrder &
  (
    | { readonly remedy: FixOfSets; readonly scope: SetsChoice }
    | { readonly remedy: 'retry-proof'; readonly scope: RetryProofScope | null }
    | { readonly remedy: 'stuck-finalizers'; readonly scope: SetsChoice & { readonly minAgeMs: number } }
    | { readonly remedy: 'outdated'; readonly scope: SetsChoice & { readonly renewed: readonly string[] } }
    | { readonly remedy: 'handoff'; readonly scope: SetsChoice & HandoffChoice }
    | { readonly remedy: 'gitlab-orphans'; readonly scope: GitlabChoice }
    /** Null: the plan that is applied names it. */
    | {
        readonly remedy: 'credentials'
        readonly scope: Omit<AppCredentialsScope, 'listenerNamespace'> | null
      }
    /** Null: the plan that is applied names it. */
    | { readonly remedy: 'gitlab-token'; readonly scope: GitlabTokenScope | null }
  )

/** Fixes that need nothing but the sets. */
export type FixOfSets = 'failed-runners' | 'listener-blocker' | 'pull-secrets' | 'secret-drift'

/** The namespaces of GitLab Runner's job pods, and the address of the GitLab that is asked; null: none. */
interface GitlabChoice {
  readonly namespaces: readonly string[]
  readonly gitlab: string | null
}

/** The job that waits, and what the operator has looked at. */
type HandoffChoice = Omit<HandoffScope, 'sets'>

export interface RemedyReport<P extends ClusterPlan = ClusterPlan> {
  /** `observed`: nothing to do. `planned`: a dry run. Otherwise the end of its run. */
  readonly state: RemedyState
  readonly plan: P
  readonly hash: string
  /** Null: nothing was applied. */
  readonly run: RunReport | null
  readonly head: TrailHead
  readonly store: RemedyStore['kind']
  /** The file or the ledger that has the trail. */
  readonly place: string
}

/** A command to run around a fleet at rest, or how an earlier one goes on. */
export interface ManagedApplyOrder {
  readonly act:
    | ({ readonly kind: 'begin' } & ApplyOrder)
    | ({ readonly kind: 'resume' } & ResumeOrder)
    | { readonly kind: 'abort'; readonly id: string | null }
  /** The command's output goes to stderr: stdout has one JSON document. */
  readonly isJson: boolean
  readonly controllerNamespace: string
  /** Unset: as kubectl finds it. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

export interface ManagedApplyReport extends ApplyReport {
  readonly head: TrailHead
}

/** One host, and the change that is wished there. */
export interface HostOrder {
  readonly host: RunnerHost
  readonly wish:
    | { readonly remedy: 'workdir-remediate'; readonly folder: string; readonly mode: FolderMode }
    | { readonly remedy: 'host-drain' | 'host-start' }
  /** The hash of an approved plan; null: plan. */
  readonly apply: string | null
  /** How long to wait first until no Worker is at work. */
  readonly waitMs: number
}

export interface HostTreated {
  /** As in the report of `reap`. */
  readonly state: RemedyState
  readonly plan: WorkdirPlan | HostPlan
  readonly hash: string
  readonly run: RunReport | null
  readonly head: TrailHead
  /** The file or the ledger that has the trail. */
  readonly place: string
}

/** One probe of a lane, or the removal of pods that probes left. */
export interface ProbeWish {
  /** To be planned, or the hash of a plan that was approved. */
  readonly act:
    | { readonly plan: ProbeKind; readonly scope: ProbeScope }
    | { readonly plan: 'clean'; readonly namespaces: readonly string[] }
    | { readonly apply: string; readonly of: ProbeKind | 'clean' }
  /** Unset: as kubectl finds it. */
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
}

export interface ProbeReport {
  /** As in the report of `reap`. */
  readonly state: RemedyState
  readonly plan: ProbePlan | ProbeCleanPlan
  readonly hash: string
  readonly run: RunReport | null
  /** Null: nothing was asked, or nothing was answered before it was interrupted. */
  readonly verdict: ProbeVerdict | null
  readonly isPodGone: boolean
  readonly head: TrailHead
  readonly place: string
}

/** The trail, and every place where its chain does not hold. */
export interface TrailReport {
  readonly rows: readonly TrailRow[]
  readonly head: TrailHead
  readonly store: RemedyStore['kind']
  readonly place: string
  readonly problems: readonly string[]
}

export interface WriteOrder {
  readonly collect: () => Promise<Snapshot>
  /** Whether a file of this name is replaced. */
  readonly isReplacing: boolean
}

export interface WrittenSnapshot {
  readonly snapshot: Snapshot
  readonly bytes: number
}

export interface UninstallOrder {
  /** False: a dry run. */
  readonly isApproved: boolean
  /** Also removes pods in which a job runs or may run. */
  readonly evenBusy: boolean
  /** Gives up death records that are not sealed yet. */
  readonly withoutLedger: boolean
  /** How long to wait for pods to end. */
  readonly waitMs: number
}

export interface UninstallStep {
  /** `Pod linux-1`. */
  readonly what: string
  readonly act: string
  readonly outcome: 'planned' | 'gone' | 'left'
  readonly why: string | null
  readonly needsLedger: boolean
}

export interface UninstallReport {
  readonly namespace: string
  readonly isDone: boolean
  readonly steps: readonly UninstallStep[]
  /** Resources that could not be read, each as a sentence. */
  readonly unseen: readonly string[]
}

export interface ForeignOrder {
  readonly pod: string
  /** Unset: the namespace of the kubeconfig's context. */
  readonly namespace: string | undefined
  /** Unset: as kubectl finds it. */
  readonly kubeconfig: string | undefined
}

/** The newest bytes of a file. */
export interface FileTail {
  readonly bytes: Uint8Array
  /** Whether older bytes were left out. */
  readonly isCut: boolean
  /** Null for a stream. */
  readonly writtenAt: Instant | null
}

interface Output {
  write(text: string): unknown
}

/** A Holdfast that serves on this machine, as its own instance file describes it. */
export interface InstanceAt {
  readonly pid: number
  readonly url: string
  readonly dataDir: string
}

/** Instances whose processes are alive. */
interface Instances {
  in(dataDir: string): Promise<InstanceAt | null>
  /** Instances that this user started, in any data folder. */
  all(): Promise<readonly InstanceAt[]>
}

/** Everything outside the program that the command line uses. */
export interface CliDeps {
  readonly roles: Roles
  readonly env: Environment
  readonly readFile: ReadFile
  /** Reads at most the last `bytesMax` bytes; `-` is stdin. Throws E_LOG_UNREADABLE. */
  readonly readTail: (file: string, bytesMax: number) => Promise<FileTail>
  readonly isRoot: boolean
  readonly instances: Instances
  /** How the program is called in a terminal of this user: `holdfast` where the PATH leads to it. */
  readonly self: string
  readonly stdout: Output
  readonly stderr: Output
  /** Whether stdout is a terminal: only a terminal gets colours and tables that refresh. */
  readonly isTerminal: boolean
  /** Whether stderr is a terminal: only a terminal gets the progress of slow work. */
  readonly isErrorTerminal?: boolean
  /** Width of the terminal, where it is known. */
  readonly columns?: number | undefined
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Aborts commands that watch or wait. */
  readonly signal: AbortSignal
  readonly version: string
}
