import type { IsolationReport } from '../../adapters/process/index.ts'
import type { DeclaredPools } from '../../ports/declared-pools.ts'
import type { AgentIdentity } from '../../ports/host-agent.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Leadership } from '../../ports/leadership.ts'
import type { RunnerHost } from '../../ports/runner-host.ts'

/** Where runners run, opened. */
export interface OpenFleet {
  /** The place of the runners, in words for people. */
  readonly where: string
  /** The isolation of jobs from Holdfast and from each other; null where runners are pods. */
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

/** A sentence about the separation that local jobs lack; null where each runner is a user of its own, or a pod. */
export function isolationWarning({ isolation }: Pick<OpenFleet, 'isolation'>): string | null {
  return isolation === null || isolation.level === 'own-users' ? null : isolation.sentence
}
