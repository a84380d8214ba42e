import type { Handle, PastDeadline } from '../domain/attempt/index.ts'
import type { EndKind, ForgeWord, JobFate, Proof } from '../domain/binding/index.ts'
import type { Incident, IncidentKind } from '../domain/incident/index.ts'
import type { Job } from '../domain/job/index.ts'
import type { Pool } from '../domain/pool/index.ts'
import type { QueueFacts } from '../domain/queue/index.ts'
import type { Runner } from '../domain/runner/index.ts'
import type { Instant } from '../domain/time.ts'
import type { BudgetReading } from './budget.ts'
import type { LedgerOfDeaths } from './ledger/deaths.ts'
import type { JobFile, RunnerFile } from './ledger/files.ts'
import type { LedgerOfIncoming } from './ledger/incoming.ts'
import type { LedgerOfRecovery } from './ledger/recovery.ts'
import type {
  Cause,
  Claim,
  ClaimingRunner,
  ClaimResult,
  Enrolled,
  FailedStart,
  Fenced,
  Heard,
  HostKind,
  HostRow,
  InstallationRow,
  JobConditions,
  JobFilter,
  Leader,
  NewIncident,
  NewRunner,
  PoolCounts,
  RunnerFilter,
  SetAside,
  UnusedRegistration,
  Wake,
} from './ledger/rows.ts'
import type { Listed, UnreadableJob, UnreadableRunner } from './ledger/unreadable.ts'
import type { Sealed } from './vault.ts'

export * from './ledger/files.ts'
export * from './ledger/rows.ts'
export * from './ledger/unreadable.ts'

/**
 * The ledger: one row for every job from first sight to a proven end, and one for every attempt to run it.
 *
 * Contract, held by one suite against every implementation:
 * - Each method is one transaction: all of it or nothing, and its timeline rows with it.
 * - Deadlines are judged by the ledger's own clock; callers pass durations, never times of theirs.
 * - A method that throws `E_LEDGER_UNAVAILABLE` may have taken effect. Every write is therefore safe to repeat.
 * - A write that names a handle changes nothing once that attempt has ended, and says `lost`.
 */
export interface Ledger extends LedgerOfIncoming, LedgerOfDeaths, LedgerOfRecovery {
  /** The ledger's own time. */
  now(): Promise<Instant>
  /**
   * Notes the ledger's own time. Where it went back since it was noted last (somebody set the clock), all that waits for
   * a time comes earlier by as much; gives by how many milliseconds, 0 where it did not.
   */
  noteTime(): Promise<number>

  /**
   * Makes these the pools there are; jobs are routed anew, also those that no pool served before. What is not among
   * them is put away: no job goes there any more, and one that comes back from a runner of it is routed anew; its
   * runners live on until somebody removes them.
   */
  putPools(pools: readonly Pool[], cause: Cause, leader?: Leader | null): Promise<'put' | 'deposed'>
  pools(): Promise<readonly Pool[]>
  /** Every pool there is, and those put away that still have live runners. */
  counts(): Promise<readonly PoolCounts[]>

  /**
   * Opens an incident, once as long as it lasts, and holds back the jobs that it concerns. Those of an installation
   * and of runners hold nothing back.
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
  /** The pod that was made for it, or found under its name: the first is its own from then on (`other`: not this one). */
  bindPod(runnerId: number, podUid: string): Promise<'bound' | 'other'>
  /** The first that proves to be this runner is; `other`: somebody else was. */
  bindIdentity(runnerId: number, identityHash: string): Promise<'bound' | 'other'>
  /** The host lives: noted with the ledger's time, also where it was given up before. */
  heartbeat(host: { readonly id: string; readonly kind: HostKind }): Promise<void>
  /** Every host that is known, by its id. */
  hosts(): Promise<readonly HostRow[]>
  /** Hosts that are lost and have no live runner any more are over; gives which ended now. */
  endLostHosts(): Promise<readonly string[]>
  /**
   * Runners of this host whose record says that they ended on a node without having started, newest first, at most
   * `failedStartsMax`. Not those that somebody took away before anything was wrong with them.
   */
  failedStarts(host: string, withinMs: number): Promise<readonly FailedStart[]>
  /** The runner asks for work: `booting → polling`. `leave`: it is fenced, or has ended. */
  polled(runnerId: number): Promise<'polling' | 'leave'>
  /**
   * These runners wait for a job since they last asked: the time of it is noted. Gives those that are polling; the
   * others are fenced, have ended, or hold an attempt.
   */
  waiting(runnerIds: readonly number[]): Promise<ReadonlySet<number>>

  /** The runner's open attempt, for a poll that is repeated because its answer was lost. */
  openAttempt(runnerId: number): Promise<Claim | null>
  /** Gives the runner the next job of its pool and of the served installation: inserts the attempt and moves the job, in one transaction. */
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
      /** After so many refusals it is quarantined; null: this one is not its fault, and is not counted. */
      readonly failuresMax: number | null
      /** What only a person can lift: it opens an incident for the scope that the refusal concerns. */
      readonly incident: IncidentKind | null
    },
  ): Promise<Fenced<{ readonly quarantined: boolean; readonly incident: 'opened' | 'known' | null }>>
  /** `minted → delivered`, before the first byte leaves; repeated until it is acknowledged it gives the same JIT. */
  deliver(handle: Handle, registerDeadlineMs: number): Promise<Fenced<{ readonly jit: Sealed }>>
  acknowledge(handle: Handle): Promise<Fenced>
  /** The forge was seen to have the runner; the JIT is erased. */
  registered(handle: Handle, startDeadlineMs: number, cause: Cause): Promise<Fenced>

  /**
   * Its job ran for longer than its pool lets one run, and the forge is asked to cancel it; noted once, and later with
   * the forge's answer. `lost`: it does not run (any more).
   */
  notePastDeadline(handle: Handle, note: Omit<PastDeadline, 'at'>, cause: Cause): Promise<Fenced>

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
  /** Every installation that ever had a job or a webhook here, by name. */
  installations(): Promise<readonly InstallationRow[]>
  /** Open jobs of an installation, the oldest first, at most so many. */
  openJobIds(installation: string, limit: number): Promise<readonly number[]>
  /**
   * A person closes a job of an installation that is not served any more, and with it its open attempt, of which that
   * word is the evidence. `refused`: it is not open.
   */
  retireJob(jobId: number, cause: Cause): Promise<'retired' | 'refused'>
  /** What else of an installation waits: its webhooks are settled as ignored, its incidents are over. */
  retireRest(installation: string): Promise<{ readonly deliveries: number; readonly incidents: number }>
  /** No job is given to this runner any more. `refused`: it has an open attempt, or it has ended. */
  fence(runnerId: number, reason: string, cause: Cause): Promise<'fenced' | 'refused'>
  jobFile(jobId: number): Promise<JobFile | null>
  /** By the runner's own name, or by one under which the forge knew it. */
  runnerFile(name: string): Promise<RunnerFile | null>
  /** The name of the runner whose death record names this pod. */
  runnerOfPod(podUid: string): Promise<string | null>
  findJob(installation: string, forgeJobId: number): Promise<Job | null>
  jobs(filter: JobFilter): Promise<Listed<Job, UnreadableJob>>
  /** How many there are, counted up to `max` and no further. */
  countJobs(conditions: JobConditions, max: number): Promise<number>
  /** Live runners, and those that ended lately up to `endedLimit`; of both only those for which the filter holds. */
  runners(
    endedLimit: number,
    filter?: RunnerFilter,
  ): Promise<Listed<Runner & { readonly jobId: number | null }, UnreadableRunner>>
  queueFacts(jobId: number): Promise<QueueFacts | null>

  /** Seals stored JITs anew that were not delivered yet (I2: what was delivered stays as it is); gives how many were. */
  resealJits(reseal: (jit: Sealed, handle: Handle) => Sealed, limit: number): Promise<number>
  /**
   * Moves jobs that ended before to the archive, with all that belongs to them, and runners that ended before and have
   * no job that is not there. Nothing open is touched. Less than the limit: nothing is left to move. What cannot be
   * moved is set aside and tried again later; the others are moved.
   */
  archive(olderThanMs: number, limit: number): Promise<number>
  /** What archiving could not move, the longest waiting first, at most a hundred. */
  setAside(): Promise<readonly SetAside[]>
  /** Drops archived jobs and runners that ended before. Less than the limit: nothing is left to drop. */
  purge(olderThanMs: number, limit: number): Promise<number>

  /** Calls back when something may be waiting. May be late or missed: every waiter sweeps as well. */
  onWake(callback: (wake: Wake) => void): () => void
}
