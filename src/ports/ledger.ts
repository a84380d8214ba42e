import type { Attempt, Handle } from '../domain/attempt/index.ts'
import type { EndKind, Evidence, ForgeWord, JobFate, Proof } from '../domain/binding/index.ts'
import type { DeathRecord, HostRing, JobAtEnd } from '../domain/death/index.ts'
import type { Incident, IncidentKind } from '../domain/incident/index.ts'
import type { Job, JobState } from '../domain/job/index.ts'
import type { Pool, TroubleKind } from '../domain/pool/index.ts'
import type { QueueFacts } from '../domain/queue/index.ts'
import type { Subject } from '../domain/recovery/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Instant } from '../domain/time.ts'
import type { BudgetReading } from './budget.ts'
import type { Sealed } from './vault.ts'

/** Who or what caused a change: kept in the timeline. */
export interface Cause {
  readonly source: 'webhook' | 'audit' | 'dispatch' | 'recovery' | 'lifecycle' | 'scale' | 'operator'
  readonly rule?: string
}

export interface Claim {
  readonly attempt: Attempt
  readonly job: Job
  /** The group that the job's pool names for its runners. */
  readonly runnerGroup: string | null
}

/** What never changes of a runner, and what a claim needs of it. */
export type ClaimingRunner = Pick<Runner, 'id' | 'name' | 'pool'>

export type ClaimResult =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'nothing' }
  /** The runner is fenced or has ended: it must leave. */
  | { readonly kind: 'leave' }

/** What a handle's write came to. `lost`: the attempt ended meanwhile, and the caller must not go on with it. */
export type Fenced<T = object> = ({ readonly kind: 'ok' } & T) | { readonly kind: 'lost' }

export interface NewRunner {
  readonly name: string
  readonly pool: string
  readonly host: string
  /** Null: it becomes known when the runner first proves who it is (`bindIdentity`). */
  readonly identityHash: string | null
  readonly bootDeadlineMs: number
}

/**
 * In whose name something is written that only one process may write. The ledger keeps the greatest token of each
 * lease, and refuses a smaller one: who led once, slept, and wakes up changes nothing.
 */
export interface Leader {
  readonly lease: string
  /** A decimal number; every later term has a greater one (`Term.token`). */
  readonly token: string
}

export type Enrolled =
  | { readonly kind: 'enrolled'; readonly runners: readonly Runner[] }
  /** Another leads now; nothing was written. */
  | { readonly kind: 'deposed' }

/** A runner that ended before its program started, and where. */
export interface FailedStart {
  readonly runner: string
  readonly pool: string
  readonly node: string
  /** What kept it from starting, where the host knew: some are the pool's fault, and not the node's. */
  readonly trouble: TroubleKind | null
  readonly at: Instant
}

/** So many failed starts are given; whoever judges nodes by them needs the newest alone. */
export const failedStartsMax = 1_000

export interface Delivery {
  readonly guid: string
  readonly installation: string
  readonly event: string
  /** The body as it came, bytes that the signature covers. */
  readonly body: string
  /** What it is about, such as one job: deliveries of one subject are worked on in the order of their arrival. */
  readonly subject: string | null
  readonly receivedAt: Instant
  readonly tries: number
}

export const deliveryStates = ['pending', 'done', 'ignored', 'poison'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** A delivery and what became of it, without its body. */
export interface DeliveryRow extends Omit<Delivery, 'body'> {
  readonly state: DeliveryState
  readonly note: string | null
  readonly settledAt: Instant | null
}

export type DeliveryOutcome =
  | { readonly kind: 'done'; readonly note: string }
  /** Nothing for us: counted, kept, not tried again. */
  | { readonly kind: 'ignored'; readonly note: string }
  | { readonly kind: 'failed'; readonly note: string; readonly retryInMs: number }
  /** Tried often enough: set aside with the reason until somebody replays it. */
  | { readonly kind: 'poison'; readonly note: string }

export type NewIncident = Pick<Incident, 'kind' | 'installation' | 'scope' | 'key' | 'reason'>

export type Heard =
  /** A job that was not known before. */
  | { readonly kind: 'new'; readonly jobId: number }
  | { readonly kind: 'changed'; readonly jobId: number }
  /** Late or repeated: nothing changed. */
  | { readonly kind: 'nothing'; readonly jobId: number }
  /** Not for us: no pool serves its labels, and they do not ask for a self-hosted runner. */
  | { readonly kind: 'foreign' }

/** What becomes of the delivery that brought a word. */
export function outcomeOf(heard: Heard): DeliveryOutcome & { readonly kind: 'done' | 'ignored' } {
  if (heard.kind !== 'foreign') return { kind: 'done', note: heard.kind }
  return { kind: 'ignored', note: 'no pool of ours serves its labels' }
}

export interface TimelineRow {
  readonly id: number
  readonly at: Instant
  readonly subject: 'job' | 'attempt' | 'runner'
  readonly subjectId: number
  readonly jobId: number | null
  readonly kind: string
  readonly source: string
  readonly rule: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

export interface DecisionRow {
  readonly id: number
  readonly at: Instant
  readonly rule: string
  readonly jobId: number | null
  readonly attemptId: number | null
  readonly runnerId: number | null
  readonly facts: Readonly<Record<string, unknown>>
  readonly actions: readonly Readonly<Record<string, unknown>>[]
  readonly outcome: string | null
}
export type NewDecision = Omit<DecisionRow, 'id' | 'at' | 'outcome'>

export interface EvidenceRow {
  readonly id: number
  readonly kind: Evidence['kind']
  readonly runnerId: number | null
  readonly sealedAt: Instant
  readonly record: Readonly<Record<string, unknown>>
}

/** A runner's death as it was sealed. */
export interface SealedDeath {
  /** The number of its evidence. */
  readonly id: number
  readonly runnerId: number
  readonly runner: string
  readonly pool: string
  readonly host: string
  readonly sealedAt: Instant
  readonly record: Readonly<Record<string, unknown>>
}

/** All that is known about one job. */
export interface JobFile {
  readonly job: Job
  readonly attempts: readonly Attempt[]
  readonly timeline: readonly TimelineRow[]
  readonly decisions: readonly DecisionRow[]
  readonly evidence: readonly EvidenceRow[]
  readonly archived: boolean
}

/** All that is known about one runner. */
export interface RunnerFile {
  readonly runner: Runner
  /** Its attempts that are not archived with their jobs, oldest first, at most `runnerAttemptsMax` of the newest. */
  readonly attempts: readonly RunnerAttempt[]
  /** Rows about the runner itself and about these attempts; those about their jobs stand in the jobs' files. */
  readonly timeline: readonly TimelineRow[]
  /** Decisions about the runner or about one of these attempts. */
  readonly decisions: readonly DecisionRow[]
  /** Its death, and what ended these attempts. */
  readonly evidence: readonly EvidenceRow[]
}

/** An attempt with its job as it is now. */
export interface RunnerAttempt {
  readonly attempt: Attempt
  readonly job: Job
}

/** A runner is given one job; more attempts are those that came to nothing before. */
export const runnerAttemptsMax = 50

export interface JobFilter {
  readonly states?: readonly JobState[]
  readonly repository?: string
  /** Newest first, at most so many. */
  readonly limit: number
}

/** What is not named is not asked about. */
export interface RunnerFilter {
  readonly pool?: string
  readonly states?: readonly Runner['state'][]
  readonly host?: string
  readonly names?: readonly string[]
}

export interface PoolCounts {
  readonly pool: string
  /** Jobs that a runner could be given now: not held, not backing off, not over a cap. */
  readonly dispatchable: number
  readonly queued: number
  readonly runners: Readonly<Record<Runner['state'], number>>
}

/**
 * What may be waiting for somebody: more to claim in a pool, a runner that is to leave, deliveries to work on, subjects
 * for recovery.
 */
export type Wake =
  | { readonly kind: 'jobs'; readonly pool: string }
  | { readonly kind: 'fenced'; readonly runnerId: number }
  | { readonly kind: 'deliveries' }
  | { readonly kind: 'recovery' }
  | { readonly kind: 'everything' }

/** A runner's place at the forge that nobody may ever take. */
export interface UnusedRegistration {
  readonly repository: string
  readonly forgeRunnerName: string
  /** When its attempt ended. */
  readonly endedAt: Instant
}

/**
 * The ledger: one row for every job from first sight to a proven end, and one for every attempt to run it.
 *
 * Contract, held by one suite against every implementation:
 * - Each method is one transaction: all of it or nothing, and its timeline rows with it.
 * - Deadlines are judged by the ledger's own clock; callers pass durations, never times of theirs.
 * - A method that throws `E_LEDGER_UNAVAILABLE` may have taken effect. Every write is therefore safe to repeat.
 * - A write that names a handle changes nothing once that attempt has ended, and says `lost`.
 */
export interface Ledger {
  /** The ledger's own time. */
  now(): Promise<Instant>

  /**
   * Makes these the pools there are; jobs are routed anew, also those that no pool served before. What is not among
   * them is put away: no job goes there any more, and one that comes back from a runner of it is routed anew; its
   * runners live on until somebody removes them.
   */
  putPools(pools: readonly Pool[], cause: Cause, leader?: Leader | null): Promise<'put' | 'deposed'>
  pools(): Promise<readonly Pool[]>
  /** Every pool there is, and those put away that still have live runners. */
  counts(): Promise<readonly PoolCounts[]>

  /** Keeps a raw webhook, once per GUID. */
  storeDelivery(
    delivery: Pick<Delivery, 'guid' | 'installation' | 'event' | 'subject' | 'body'>,
  ): Promise<'stored' | 'duplicate'>
  /**
   * Deliveries that wait to be worked on, oldest first; none whose subject has an older one that is not settled and
   * waits to be tried again. Working on one twice is harmless.
   */
  pendingDeliveries(limit: number): Promise<readonly Delivery[]>
  settleDelivery(guid: string, outcome: DeliveryOutcome): Promise<void>
  /** Newest first, at most so many. */
  deliveries(filter: {
    readonly states?: readonly DeliveryState[]
    readonly limit: number
  }): Promise<readonly DeliveryRow[]>
  /** Those of these GUIDs that were stored. */
  knownDeliveries(guids: readonly string[]): Promise<ReadonlySet<string>>
  /** Works on a settled delivery once more, as if it had just come. */
  replayDelivery(guid: string): Promise<'replayed' | 'pending' | 'unknown'>

  /** Up to where something was read, such as the forge's list of runs; null: never. It only moves forwards. */
  cursor(name: string): Promise<Instant | null>
  moveCursor(name: string, to: Instant): Promise<void>
  /** Up to which number something was taken out of the ledger; 0: nothing was. It only moves forwards. */
  position(name: string): Promise<number>
  movePosition(name: string, to: number): Promise<void>

  /**
   * Opens an incident, once as long as it lasts, and holds back the jobs that it concerns. Those of an installation
   * hold nothing back.
   */
  raiseIncident(incident: NewIncident, holdMs: number): Promise<'opened' | 'known'>
  /** It is over: its jobs go on at once. */
  liftIncident(incident: Omit<NewIncident, 'reason'>): Promise<'lifted' | 'none'>
  /** Those that are open, and those that ended lately up to `closedLimit`; the newest first. */
  incidents(closedLimit: number): Promise<readonly Incident[]>

  /** What the forge said is left to an account that it counts apart: of one window the least, else the newer window. */
  noteBudget(account: string, reading: BudgetReading): Promise<BudgetReading>
  budget(account: string): Promise<BudgetReading | null>

  /** Runs with a job first seen since then of which every job known here has ended. */
  settledRuns(installation: string, since: Instant): Promise<ReadonlySet<number>>
  /** Registrations that were made for attempts which ended since then before their runner was seen to use them. */
  unusedRegistrations(installation: string, since: Instant): Promise<readonly UnusedRegistration[]>

  /**
   * Applies what the forge said about a job, whatever the order in which its words arrive. The delivery that brought
   * the word is settled with it (`settles`, its GUID): as `ignored` where the job is foreign, else as `done`.
   */
  hear(word: ForgeWord, cause: Cause, settles?: string): Promise<Heard>

  /**
   * One runner, such as one that is there already and has no row; repeating the same name gives the same row. A pool
   * that was put away takes it all the same: it is counted, and removed like the pool's other runners. One that never
   * was is `E_POOL_UNKNOWN`, and nothing is written.
   */
  enrol(runner: NewRunner, cause: Cause): Promise<Runner>
  /**
   * Runners that are about to be started, many in one transaction, under a leader's name where there is one; their
   * rows in the order given. A pool that was put away takes no new ones: these are left out, and whoever counts after
   * the pools were put counts all there will be.
   */
  enrolAll(runners: readonly NewRunner[], cause: Cause, leader: Leader | null): Promise<Enrolled>
  findRunner(name: string): Promise<Runner | null>
  /** The first that proves to be this runner is; `other`: somebody else was. */
  bindIdentity(runnerId: number, identityHash: string): Promise<'bound' | 'other'>
  /**
   * Runners of this host whose record says that they ended on a node without having started, newest first, at most
   * `failedStartsMax`. Not those that somebody took away before anything was wrong with them.
   */
  failedStarts(host: string, withinMs: number): Promise<readonly FailedStart[]>
  /** The runner asks for work: `booting → polling`. */
  polled(runnerId: number): Promise<'polling' | 'leave'>

  /** The runner's open attempt, for a poll that is repeated because its answer was lost. */
  openAttempt(runnerId: number): Promise<Claim | null>
  /** Gives the runner the next job of its pool: inserts the attempt and moves the job, in one transaction. */
  claim(runner: ClaimingRunner, handle: Handle, deadlineMs: number): Promise<ClaimResult>
  /** `claimed → minted`; the sealed JIT is stored with it. Incidents that a mint disproves are over. */
  minted(handle: Handle, forgeRunnerId: number, jit: Sealed, deadlineMs: number): Promise<Fenced>
  /** Nothing was delivered: the attempt ends, the job backs off or is quarantined, the scope is held. */
  mintFailed(
    handle: Handle,
    failure: {
      readonly reason: string
      readonly concerns: 'job' | 'repository' | 'account'
      readonly delayMs: number
      readonly failuresMax: number
      /** What only a person can lift: it opens an incident for the scope that the refusal concerns. */
      readonly incident: IncidentKind | null
    },
  ): Promise<Fenced<{ readonly quarantined: boolean; readonly incident: 'opened' | 'known' | null }>>
  /** `minted → delivered`, before the first byte leaves; repeated until it is acknowledged it gives the same JIT. */
  deliver(handle: Handle, registerDeadlineMs: number): Promise<Fenced<{ readonly jit: Sealed }>>
  acknowledge(handle: Handle): Promise<Fenced>
  /** The forge was seen to have the runner; the JIT is erased. */
  registered(handle: Handle, startDeadlineMs: number, cause: Cause): Promise<Fenced>

  /** Ends an attempt with its proof, and decides its job's fate, together. */
  endAttempt(
    handle: Handle,
    end: { readonly kind: EndKind; readonly proof: Proof; readonly fate: JobFate },
    cause: Cause,
  ): Promise<Fenced | { readonly kind: 'refused' }>
  /** Closes an open job without an open attempt that the forge does not know any more. */
  closeJob(jobId: number, conclusion: string, cause: Cause): Promise<'closed' | 'refused'>
  /** Puts back a job that runs here without an attempt of ours, although the forge has it queued. */
  requeueJob(jobId: number, cause: Cause): Promise<'requeued' | 'refused'>
  /** Lifts a quarantine. */
  release(jobId: number, cause: Cause): Promise<'released' | 'refused'>
  /** No job is given to this runner any more. `refused`: it has an open attempt, or it has ended. */
  fence(runnerId: number, reason: string, cause: Cause): Promise<'fenced' | 'refused'>
  /**
   * The runner's newest attempt and its job with the forge's last word, for its death record; null where it was never
   * given one.
   */
  jobAtEnd(runnerId: number): Promise<JobAtEnd | null>
  /** Seals a runner's death record, once, and ends the runner; its open attempt is due for recovery at once. */
  sealDeath(
    runnerId: number,
    record: DeathRecord,
    reason: string,
    cause: Cause,
  ): Promise<'sealed' | 'already'>

  /**
   * Death records with a greater number, in the order of their numbers, also of runners that are archived. None that
   * is sealed later comes before one that was given: whoever goes on after the last misses none.
   */
  deathsAfter(evidenceId: number, limit: number): Promise<readonly SealedDeath[]>

  /** Subjects whose time has come, the longest overdue first; of runners only those of this host. */
  due(limit: number, host: string): Promise<readonly Subject[]>
  /** One subject as it is now; null where there is nothing open to look at. */
  subject(of: { readonly kind: Subject['kind']; readonly id: number }): Promise<Subject | null>
  /** Looks at a subject again after a while. */
  postpone(of: { readonly kind: Subject['kind']; readonly id: number }, delayMs: number): Promise<void>
  recordDecision(decision: NewDecision): Promise<number>
  recordOutcome(decisionId: number, outcome: string): Promise<void>

  jobFile(jobId: number): Promise<JobFile | null>
  /** By the runner's own name, or by one under which the forge knew it. */
  runnerFile(name: string): Promise<RunnerFile | null>
  /** The name of the runner whose death record names this pod. */
  runnerOfPod(podUid: string): Promise<string | null>
  findJob(installation: string, forgeJobId: number): Promise<Job | null>
  jobs(filter: JobFilter): Promise<readonly Job[]>
  /** Live runners, and those that ended lately up to `endedLimit`; of both only those for which the filter holds. */
  runners(
    endedLimit: number,
    filter?: RunnerFilter,
  ): Promise<readonly (Runner & { readonly jobId: number | null })[]>
  queueFacts(jobId: number): Promise<QueueFacts | null>

  /** Seals every stored JIT anew; gives how many were. */
  resealJits(reseal: (jit: Sealed, handle: Handle) => Sealed, limit: number): Promise<number>
  /**
   * Moves jobs that ended before to the archive, with all that belongs to them, and runners that ended before and have
   * no job that is not there. Nothing open is touched. Less than the limit: nothing is left to move.
   */
  archive(olderThanMs: number, limit: number): Promise<number>
  /** Drops archived jobs and runners that ended before. Less than the limit: nothing is left to drop. */
  purge(olderThanMs: number, limit: number): Promise<number>

  /**
   * Keeps what a node's agent saw of a runner, the newest of each pod: an end is never taken back, and what was seen
   * until an earlier time does not replace what was seen until a later one (`older`). A pod's ring comes from one node
   * alone (`foreign`).
   */
  putRing(ring: HostRing): Promise<'kept' | 'older' | 'foreign'>
  ring(podUid: string): Promise<HostRing | null>
  /**
   * Drops rings that were pushed before, and of those that belong to no runner known here the oldest beyond
   * `strangersMax`: an agent sees every pod of its node. At most so many; gives how many.
   */
  dropRings(bounds: {
    readonly olderThanMs: number
    readonly strangersMax: number
    readonly limit: number
  }): Promise<number>

  /** Calls back when something may be waiting. May be late or missed: every waiter sweeps as well. */
  onWake(callback: (wake: Wake) => void): () => void
}
