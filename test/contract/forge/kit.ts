import type { Forge, ForgeScope, JobsAsked, Minted } from '../../../src/ports/forge.ts'

export interface ForgeJobOrder {
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
  /** The fork, `owner/name`, whose commits it runs. */
  readonly fork?: string
}

/** A runner's program as the forge sees it. */
interface ConnectedRunner {
  /** The job that the forge gives it now; null: none. */
  take(): Promise<number | null>
  finish(forgeJobId: number, conclusion: 'success' | 'failure'): Promise<void>
}

/** A forge behind the port, and the people and programs around it, whom the port does not show. */
export interface ForgeUnderTest extends AsyncDisposable {
  readonly forge: Forge
  readonly installation: string
  submit(order: ForgeJobOrder): Promise<number>
  /** Many at once, where one by one takes long. */
  submitMany?(orders: readonly ForgeJobOrder[]): Promise<readonly number[]>
  cancel(forgeJobId: number): Promise<void>
  /** Null: the forge refuses the configuration. `program` distinguishes one program from another. */
  connect(jit: string, program: string): Promise<ConnectedRunner | null>
}

/** Documented differences between forges; the rest of the contract holds for all. */
export interface ForgeNature {
  /** Two programs with one configuration are the same runner, and get one job together. */
  readonly sharesConfigurations?: true
  /** Two runners may have one name: only their ids are unique. */
  readonly repeatsNames?: true
  /** The run attempt counts assignments to runners: a rerun of a job that no runner had is the same job. */
  readonly countsStarts?: true
  /** A job does not say whether its pull request comes from a fork. */
  readonly hidesForks?: true
  /** Which step of a job failed is not said, or there are no steps. */
  readonly hidesFailedStep?: true
  /** Of the attempts of a run only the newest is kept. */
  readonly keepsNewestAttempt?: true
  /** Jobs cannot be cancelled through the API; the port returns that. */
  readonly cannotCancel?: true
}

export const repository = 'acme/shop'
export const labels: readonly string[] = ['self-hosted', 'linux']
export const never = new AbortController().signal

/** The forge of the running test, and what every test does with it. */
export interface ForgeBench {
  readonly under: ForgeUnderTest
  readonly forge: Forge
  scope(): ForgeScope
  asked(): JobsAsked
  submit(order?: Partial<ForgeJobOrder>): Promise<number>
  mint(runner: string): Promise<Minted>
  /** Mints a runner whose program connects. */
  start(runner: string): Promise<ConnectedRunner>
}

export function forgeBench(current: () => ForgeUnderTest): ForgeBench {
  const bench: ForgeBench = {
    get under() {
      return current()
    },
    get forge() {
      return current().forge
    },
    scope: () => ({ installation: bench.under.installation, repository }),
    asked: () => ({ installation: bench.under.installation, since: 0, settledRuns: new Set<number>() }),
    submit: (order = {}) => bench.under.submit({ repository, name: 'build', labels, ...order }),
    async mint(runner) {
      const minted = await bench.forge.mint({ scope: bench.scope(), name: runner, labels }, never)
      if (minted.kind !== 'minted') throw new Error(minted.reason)
      return minted
    },
    async start(runner) {
      const { jit } = await bench.mint(runner)
      const connected = await bench.under.connect(jit, `program of ${runner}`)
      if (connected === null) throw new Error('the forge refused a fresh configuration')
      return connected
    },
  }
  return bench
}
