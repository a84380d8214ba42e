import type { IsolationReport } from '../../adapters/process/index.ts'
import type { DeclaredPools } from '../../ports/declared-pools.ts'
import type { AgentIdentity } from '../../ports/host-agent.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Leadership } from '../../ports/leadership.ts'
import type { RunnerHost } from '../../ports/runner-host.ts'

/** Where runners run, opened. */
export interface OpenFleet {
  /** For whoever asks where that is. */
  readonly where: string
  /** What separates jobs from Holdfast and from each other; null where pods do. */
  readonly isolation: IsolationReport | null
  readonly host: RunnerHost
  readonly identity: Identity
  readonly agents: AgentIdentity
  /** Null: the pools stand in the configuration. */
  readonly pools: DeclaredPools | null
  /** Null: nobody else acts on this host. */
  readonly leads: { readonly lease: string; readonly leadership: Leadership } | null
  /** Whether runners end with Holdfast; pods outlive it. */
  readonly endsWithUs: boolean
  /** Sets the gauges that are about where runners run. */
  measure(): void
  stop(): Promise<void>
}
