import type { Config, ConfigInputs, Environment, LoadedConfig, ReadFile } from '../platform/config/index.ts'
import type { Clock } from '../ports/clock.ts'

/** Where Holdfast serves, for the greeting. */
export interface ServingAt {
  readonly url: string
  readonly forge: { readonly kind: string; readonly url: string }
  /** Where runners run, and in words for people. */
  readonly fleet: { readonly kind: string; readonly where: string }
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
  rotateKeys(config: Config): Promise<{ readonly keyId: string }>
  /** Runs the simulated forge alone until a signal; gives the exit code. */
  simForge(config: Config, onServing: (serving: { readonly url: string }) => void): Promise<number>
}

export interface Output {
  write(text: string): unknown
}

/** All that the command line touches. */
export interface CliDeps {
  readonly roles: Roles
  readonly env: Environment
  readonly readFile: ReadFile
  readonly isRoot: boolean
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
