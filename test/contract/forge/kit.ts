import type { Forge, ForgeScope, JobsAsked, Minted } from '../../../src/ports/forge.ts'

export interface ForgeJobOrder {
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
}

/** A runner's program as the forge sees it. */
export interface ConnectedRunner {
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
  /** Null: the forge refuses the configuration. `program` tells one program from another. */
  connect(jit: string, program: string): Promise<ConnectedRunner | null>
}

/** Where a forge differs from the others by its nature; what is not named here holds for it too. */
export interface ForgeNature {
  /** It does not tell two programs with one configuration apart: both are the same runner, and get one job together. */
  readonly sharesConfigurations?: true
  /** Two runners may have one name: only their ids are unique. */
  readonly repeatsNames?: true
  /** It counts how often a runner was given a job: one that none had is the same job when it runs again. */
  readonly countsStarts?: true
  /** It takes no order to cancel, and says so. */
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
