import type { About, ForgeAllowance, Liveness, Readiness, ResyncReport } from '../api/index.ts'
import type { PollAnswer } from '../dispatch/index.ts'
import type { Handle } from '../domain/attempt/index.ts'
import type { ForgeKindName } from '../domain/forge/index.ts'
import type { Redactor } from '../domain/redact/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Received } from '../intake/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { AgentIdentity } from '../ports/host-agent.ts'
import type { Identity } from '../ports/identity.ts'
import type {
  AttemptLedger,
  CursorLedger,
  DeathLedger,
  DecisionLedger,
  DeliveryLedger,
  Fenced,
  HostLedger,
  HostSampleLedger,
  IncidentLedger,
  InstallationLedger,
  InstallationRow,
  JobLedger,
  JobReader,
  LedgerClock,
  PoolLedger,
  RunnerLedger,
  RunnerReader,
} from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RawDelivery } from '../ports/webhooks.ts'

/** Everything that the HTTP server reads and calls. */
export interface HttpDeps {
  readonly ledger: LedgerClock &
    PoolLedger &
    JobLedger &
    JobReader &
    AttemptLedger &
    RunnerLedger &
    RunnerReader &
    HostLedger &
    DeathLedger &
    HostSampleLedger &
    DecisionLedger &
    IncidentLedger &
    DeliveryLedger &
    CursorLedger &
    InstallationLedger
  /** Closes everything open of an installation that is not served. */
  readonly retire: (installation: InstallationRow) => Promise<{
    readonly jobs: number
    readonly deliveries: number
    readonly incidents: number
    readonly failed: readonly { readonly job: number; readonly reason: string }[]
  }>
  readonly forge: Pick<
    Forge,
    'rerunJob' | 'rerunFailedJobs' | 'cancelRun' | 'readLog' | 'readJob' | 'readJobDetail' | 'readRunJobs'
  > & {
    /** Compares with the forge's lists now, and applies what was missed. Throws E_FORGE_UNAVAILABLE. */
    resync(signal: AbortSignal): Promise<ResyncReport>
    /** The rest of the forge's rate limit, and whether it asked us to pause. */
    budget(signal: AbortSignal): Promise<ForgeAllowance>
  }
  readonly dispatch: {
    /** A runner that polled a moment ago and has not changed since; null where it must be read from the ledger. */
    expected(name: string): Runner | null
    /** Waits for a job; the signal ends the wait only. */
    poll(runner: Runner, signal: AbortSignal): Promise<PollAnswer>
    ack(handle: Handle): Promise<Fenced>
  }
  readonly receive: (delivery: RawDelivery) => Promise<Received>
  /** How runners prove who they are. */
  readonly identity: Identity
  /** How the agents of nodes prove who they are. */
  readonly agents: AgentIdentity
  readonly metrics: Pick<Metrics, 'observe' | 'count'> & {
    readonly contentType: string
    text(): Promise<string>
  }
  readonly health: { ready(): Promise<Readiness>; live(): Liveness }
  readonly about: About & { readonly forge: { readonly kind: ForgeKindName } }
  /** Where people reach Holdfast; null: the address of the request. */
  readonly publicUrl: string | null
  /** The token with which an operator writes, and reads from another machine. */
  readonly operatorToken: string
  /** Whether the server listens on a loopback address only: requests to a loopback host then read without a token. */
  readonly isLoopback: boolean
  readonly log: Log
  /** Hides secrets in text that comes straight from the forge. */
  readonly redactor: Pick<Redactor, 'text'>
  readonly clock: Clock
}
