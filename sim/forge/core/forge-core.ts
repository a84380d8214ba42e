import type { Accounts } from './accounts.ts'
import type {
  Conclusion,
  Delivery,
  ForgeDelays,
  Instant,
  Job,
  Message,
  NewRun,
  Pending,
  Repository,
  Submitted,
  Webhook,
} from './model.ts'
import type { Links } from './payload/index.ts'
import type { Rerun, RerunChoice } from './rerun.ts'
import type { ConnectResult, MintOrder, MintResult, PollResult, Renewed } from './runners.ts'
import type { Change, Counters, Snapshot } from './store.ts'
import type { Overlap, Truth } from './truth.ts'
import type { Reads } from './view.ts'
import type { DeliveryOutcome } from './webhooks.ts'

/**
 * A forge's truth as a state machine. It does nothing by itself: every call names the time, and what is
 * due by then happens first. The same calls with the same entropy give the same history.
 */
export interface ForgeCore extends Reads {
  readonly delays: ForgeDelays
  readonly links: Links
  readonly appId: number | null

  advance(now: Instant): void
  /** When something happens by itself next; null: never, unless somebody acts. */
  nextDeadline(): Instant | null

  /** People's side. */
  submit(run: NewRun, now: Instant): Submitted
  cancel(jobId: number, now: Instant): 'cancelled' | 'absent' | 'over'
  /** `isForced`: without waiting for its runners. */
  cancelRun(runId: number, now: Instant, isForced?: boolean): 'cancelled' | 'absent' | 'over'
  rerun(runId: number, what: RerunChoice, now: Instant): Rerun
  /** Only what is over can be deleted. */
  deleteRun(runId: number, now: Instant): 'deleted' | 'absent' | 'running'
  /** Approves or rejects what waits for these environments; the jobs that this was about. */
  review(runId: number, environments: readonly number[], isApproved: boolean, now: Instant): readonly Job[]
  addRepository(fullName: string, now: Instant): void
  readonly accounts: Accounts

  /** The API's side. */
  mint(order: MintOrder, now: Instant): MintResult
  removeRunner(repository: string, runnerId: number, now: Instant): 'removed' | 'absent' | 'busy'
  /** The environments for which jobs of a run wait. */
  pending(runId: number): readonly Pending[]
  /** A registered runner offers other labels from now on. */
  relabel(scope: string, runnerId: number, labels: readonly string[], now: Instant): void
  repositories(): readonly Repository[]
  repository(fullName: string): Repository | null
  /** Whether runners can be registered for it: a repository, `owner/*`, or `enterprise:slug`. */
  hasScope(scope: string): boolean
  /** So much of the past is kept from now on, in which `past` can read; 0: none. */
  keepPast(keepMs: number): void
  /** The state as a replica shows it that lags by so much. */
  past(lagMs: number): Reads

  /** The runner's side. `owner` names the program, so that a repeated call differs from a second program. */
  connect(jit: string, owner: string, now: Instant): ConnectResult
  poll(session: string, now: Instant): PollResult
  /** Whether a job would be given to the runner of this session. */
  mayTake(session: string, job: Job): boolean
  renew(session: string, jobId: number, now: Instant): Renewed
  complete(session: string, jobId: number, conclusion: Conclusion, now: Instant): 'completed' | 'lost'

  /** Messages in the order in which they arose, at most so many; each is given once. */
  takeWebhooks(limit?: number): readonly Webhook[]
  /** Tries the hook at this address, as for a repository or for the App. */
  ping(url: string, repository: string | null, now: Instant): void
  noteDelivery(message: Message, outcome: DeliveryOutcome): void
  /** Deliveries and failed deliveries, the newest first; of one repository, or of all. */
  deliveries(repository: string | null): readonly Delivery[]
  delivery(id: number, repository: string | null): Delivery | null
  /** The repository that a message is about; null: none. */
  repositoryOf(message: Message): Repository | null
  redeliver(deliveryId: number, now: Instant): 'queued' | 'absent'
  /** A message in the form in which it is sent. */
  rendered(message: Message): Webhook
  /** The App's installation that a message is about, or comes through. */
  installationIdOf(message: Message): number | null

  truth(): Truth
  /** Every job that there was, also of runs that somebody deleted. */
  jobsEver(): readonly Job[]
  overlaps(): readonly Overlap[]

  snapshot(): Snapshot
  counters(): Counters
  /** The changes since the last call, for a journal. */
  takeChanges(): readonly Change[]
  /** Repeats what a journal has kept. */
  replay(changes: readonly Change[], counters: Counters): void
  /** After an outage of the forge, no runner is blamed for its silence meanwhile. */
  resume(now: Instant): void
}
