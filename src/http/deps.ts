import type { About, AuditReport, ForgeAllowance, Liveness, Readiness } from '../api/index.ts'
import type { PollAnswer } from '../dispatch/index.ts'
import type { Handle } from '../domain/attempt/index.ts'
import type { Redactor } from '../domain/redact/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Received } from '../intake/index.ts'
import type { Clock } from '../ports/clock.ts'
import type { Forge } from '../ports/forge.ts'
import type { AgentIdentity } from '../ports/host-agent.ts'
import type { Identity } from '../ports/identity.ts'
import type { Fenced, InstallationRow, Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RawDelivery } from '../ports/webhooks.ts'

/** All that the HTTP side reads and calls. */
export interface HttpDeps {
  readonly ledger: Pick<
    Ledger,
    | 'now'
    | 'jobs'
    | 'countJobs'
    | 'jobFile'
    | 'runnerFile'
    | 'runnerOfPod'
    | 'ring'
    | 'findJob'
    | 'queueFacts'
    | 'release'
    | 'runners'
    | 'findRunner'
    | 'bindIdentity'
    | 'cursors'
    | 'openAttempt'
    | 'ends'
    | 'corrections'
    | 'endCounts'
    | 'deliveries'
    | 'replayDelivery'
    | 'incidents'
    | 'liftIncident'
    | 'recordDecision'
    | 'recordOutcome'
    | 'putRing'
    | 'installations'
    | 'hosts'
    | 'pools'
    | 'counts'
  >
  /** Closes all that is open of an installation that is not served. */
  readonly retire: (installation: InstallationRow) => Promise<{
    readonly jobs: number
    readonly deliveries: number
    readonly incidents: number
    readonly failed: readonly { readonly job: number; readonly reason: string }[]
  }>
  readonly forge: Pick<Forge, 'rerunJob' | 'rerunFailedJobs' | 'cancelRun' | 'readLog' | 'readJob'> & {
    /** Compares with the forge's lists now, and applies what was missed. Throws E_FORGE_UNAVAILABLE. */
    audit(signal: AbortSignal): Promise<AuditReport>
    /** What the forge said is left, and whether it asked us to be silent. */
    budget(signal: AbortSignal): Promise<ForgeAllowance>
  }
  readonly dispatch: {
    /** A runner that waited here a moment ago, and of which nothing was heard since. */
    expected(name: string): Runner | null
    /** Waits for a job; the signal ends the waiting only. */
    poll(runner: Runner, signal: AbortSignal): Promise<PollAnswer>
    ack(handle: Handle): Promise<Fenced>
  }
  readonly receive: (delivery: RawDelivery) => Promise<Received>
  /** How runners prove who they are. */
  readonly identity: Identity
  /** How agents of nodes do. */
  readonly agents: AgentIdentity
  readonly metrics: Pick<Metrics, 'observe' | 'count'> & {
    readonly contentType: string
    text(): Promise<string>
  }
  readonly health: { ready(): Promise<Readiness>; live(): Liveness }
  readonly about: About
  /** Where people reach Holdfast; null: wherever the question came to. */
  readonly publicUrl: string | null
  /** What an operator shows to change something, and to read from elsewhere. */
  readonly operatorToken: string
  /** Whether it listens on a loopback address only: reading is then open to whoever asks by such a name. */
  readonly isLoopback: boolean
  readonly log: Log
  /** Hides secrets in words of others that come straight from the forge. */
  readonly redactor: Pick<Redactor, 'text'>
  readonly clock: Clock
}
