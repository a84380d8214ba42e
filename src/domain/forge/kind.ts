/** The properties of a kind of forge that need no API call; one file per kind, listed in `index.ts`. */
export interface ForgeKind {
  /** Whether only the user of this machine submits jobs: they need no isolation, no webhook secret and no token. */
  readonly isSimulated: boolean
  /** Whether runners of this scope are in runner groups. */
  hasRunnerGroups(scope: ForgeScope): boolean
  /** The server's own limit of calls, in points a minute; null: it has none. */
  pointsPerMinute(url: string | undefined): number | null
  /** The job or run that a path of its pages or API names; null: none. */
  parsePath(pathname: string): ForgePath | null
  /** Shapes by which its tokens are recognised wherever they stand; none may match anything else. */
  readonly tokens: readonly RegExp[]
  /** Names after which forty hexadecimal digits are one of its tokens, for a forge whose tokens look like commits. */
  readonly tokenNames: readonly string[]
  /**
   * The ids that later runs of a job have in the ledger, in order; empty where the forge itself gives each run of a job
   * its own id.
   */
  laterIds(forgeJobId: number): readonly number[]
}

type ForgeScope = 'repository' | 'organisation' | 'enterprise'

/** A page or an API resource of the forge; `runId` is null where its address has none. */
export type ForgePath =
  | {
      readonly kind: 'job'
      readonly repository: string
      readonly runId: number | null
      readonly forgeJobId: number
    }
  | { readonly kind: 'run'; readonly repository: string; readonly runId: number }
