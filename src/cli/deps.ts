import type { AgentSettings } from '../agent/index.ts'
import type { Check } from '../domain/examination.ts'
import type { Config, ConfigInputs, Environment, LoadedConfig, ReadFile } from '../platform/config/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import type { ForeignRunner } from '../ports/foreign-runner.ts'

/** Where Holdfast serves, for the greeting. */
export interface ServingAt {
  readonly url: string
  readonly forge: { readonly kind: string; readonly url: string }
  /** Where runners run, and in words for people. */
  readonly fleet: { readonly kind: string; readonly where: string; readonly warning: string | null }
  readonly dataDir: string
  readonly database: string
}

/** What the commands start; wired in main. */
export interface Roles {
  /** Runs everything until a signal; gives the exit code. From `inputs` its secrets are read again when they change. */
  up(config: Config, onServing: (serving: ServingAt) => void, inputs: ConfigInputs): Promise<number>
  migrate(
    config: Config,
    options: { readonly dryRun: boolean },
  ): Promise<{ readonly applied: readonly string[]; readonly pending: readonly string[] }>
  /** Looks at this machine, and changes nothing. */
  examine(config: Config): Promise<readonly Check[]>
  rotateKeys(config: Config): Promise<{ readonly keyId: string }>
  /** Runs the simulated forge alone until a signal; gives the exit code. */
  simForge(config: Config, onServing: (serving: { readonly url: string }) => void): Promise<number>
  /** Watches this node until a signal; on Linux another program takes the place of this one. */
  agent(settings: AgentSettings, level: Config['log']['level'], onReady: () => void): Promise<number>
  /** Removes everything of ours from a cluster's namespace, or says what that would be. */
  uninstall(config: Config, order: UninstallOrder): Promise<UninstallReport>
  /** Reads a runner that is not ours from its cluster. Throws E_SUBJECT_UNKNOWN where nothing of it is left. */
  readForeignRunner(order: ForeignOrder, signal: AbortSignal): Promise<ForeignRunner>
}

export interface UninstallOrder {
  /** Else it is only said what would be done. */
  readonly isApproved: boolean
  /** Also pods in which a job runs, or may. */
  readonly evenBusy: boolean
  /** Records that are not sealed yet are given up. */
  readonly withoutLedger: boolean
  /** How long pods get to end. */
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
  /** What could not be looked at, each as a sentence. */
  readonly unseen: readonly string[]
}

export interface ForeignOrder {
  readonly pod: string
  /** Unset: that of the kubeconfig's context. */
  readonly namespace: string | undefined
  /** Unset: as kubectl finds it. */
  readonly kubeconfig: string | undefined
}

/** The newest bytes of a file. */
export interface Newest {
  readonly bytes: Uint8Array
  /** Whether older ones were left out. */
  readonly isCut: boolean
  /** Null where it is a stream. */
  readonly writtenAt: Instant | null
}

export interface Output {
  write(text: string): unknown
}

/** A Holdfast that serves on this machine, as it noted it itself. */
export interface InstanceAt {
  readonly pid: number
  readonly url: string
  readonly dataDir: string
}

/** Instances whose processes live. */
export interface Instances {
  in(dataDir: string): Promise<InstanceAt | null>
  /** Those that this user started, wherever their data is. */
  all(): Promise<readonly InstanceAt[]>
}

/** All that the command line touches. */
export interface CliDeps {
  readonly roles: Roles
  readonly env: Environment
  readonly readFile: ReadFile
  /** Never more than so many bytes are held; `-` is what is piped in. Throws E_LOG_UNREADABLE. */
  readonly readNewest: (file: string, bytesMax: number) => Promise<Newest>
  readonly isRoot: boolean
  readonly instances: Instances
  /** How the program is called in a terminal of this user: `holdfast` where the PATH leads to it. */
  readonly self: string
  readonly stdout: Output
  readonly stderr: Output
  /** Whether stdout is a terminal: only then there are colours and tables that refresh. */
  readonly isTerminal: boolean
  /** Width of the terminal, where it is known. */
  readonly columns?: number | undefined
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Ends what watches and waits. */
  readonly signal: AbortSignal
  readonly version: string
}

export type { Config, LoadedConfig }
