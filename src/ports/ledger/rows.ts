import type { Attempt } from '../../domain/attempt/index.ts'
import type { DeathClass, SealedEnd } from '../../domain/death/index.ts'
import type { Incident } from '../../domain/incident/index.ts'
import type { Job, JobStanding, JobState } from '../../domain/job/index.ts'
import type { TroubleKind } from '../../domain/pool/index.ts'
import type { BoundReached, Subject } from '../../domain/recovery/index.ts'
import type { Runner } from '../../domain/runner/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { DecisionRow } from './files.ts'

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
  | { readonly kind: 'new'; readonly jobId: number; readonly isLost?: true }
  /** `isLost`: by this very word. */
  | { readonly kind: 'changed'; readonly jobId: number; readonly isLost?: true }
  /** Late or repeated: nothing changed. */
  | { readonly kind: 'nothing'; readonly jobId: number }
  /** Not for us: no pool serves its labels, and they do not ask for a self-hosted runner. */
  | { readonly kind: 'foreign' }

/** What becomes of the delivery that brought a word. */
export function outcomeOf(heard: Heard): DeliveryOutcome & { readonly kind: 'done' | 'ignored' } {
  if (heard.kind !== 'foreign') return { kind: 'done', note: heard.kind }
  return { kind: 'ignored', note: 'no pool of ours serves its labels' }
}

/** A subject that recovery looks at now. */
export type Due = Subject | UnreadableSubject

/** A subject with a row that this version cannot read: written by a newer one, or by hand. */
export interface UnreadableSubject {
  readonly kind: 'unreadable'
  readonly of: { readonly kind: Subject['kind']; readonly id: number }
  readonly error: unknown
}

/** Whether a decision was stored, or which bound it would have passed. */
export type BoundedRecord =
  | { readonly kind: 'recorded'; readonly id: number }
  | { readonly kind: 'over'; readonly over: BoundReached }

export type NewDecision = Omit<DecisionRow, 'id' | 'at' | 'outcome'>

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

/** An end in short, and whose it was. */
export interface EndRow extends SealedEnd {
  readonly runnerId: number
  readonly runner: string
}

/** What is not named is not asked about. */
export interface EndFilter {
  /** Sealed within this time. */
  readonly withinMs: number
  readonly classes?: readonly DeathClass[]
  readonly node?: string
  readonly pools?: readonly string[]
  readonly limit: number
}

export interface EndCount {
  readonly class: DeathClass
  readonly count: number
}

/** A runner that lives, as far as ends may have that in common; on which node only its host knows. */
export interface RunnerAlive {
  readonly name: string
  readonly pool: string
  readonly repository: string | null
}

/** What is not named is not asked about. */
export interface JobConditions {
  readonly states?: readonly JobState[] | undefined
  /** As lists show states: `queued` is without those that are withheld. */
  readonly standings?: readonly JobStanding[] | undefined
  readonly repository?: string | undefined
  readonly pool?: string | undefined
  /** It has all of them, in any case of letters. */
  readonly labels?: readonly string[] | undefined
  /** It is open, or ended within this time. */
  readonly withinMs?: number | undefined
  /** It ended so: the forge's conclusion, or `lost`. */
  readonly outcomes?: readonly string[] | undefined
}

export interface JobFilter extends JobConditions {
  /** `newest` first unless said otherwise; `attention`: by `attentionRank`, the oldest first, and what ended newest first. */
  readonly order?: 'newest' | 'attention' | undefined
  /** Goes on behind this one, which was the last of a page in the same order. */
  readonly after?: JobCursor | undefined
  /** At most so many. */
  readonly limit: number
}

/** A place in a list: it stays where it is, whatever comes and goes. */
export interface JobCursor {
  readonly rank: number
  readonly id: number
}

/** A machine or a cluster that runs runners. */
export interface HostRow {
  readonly id: string
  /** `unknown` until its first heartbeat. */
  readonly kind: HostKind
  readonly firstSeenAt: Instant
  readonly heartbeatAt: Instant
  /** Silent for longer than a host may be, by the ledger's clock: its runners are judged by the others. */
  readonly isLost: boolean
  readonly endedAt: Instant | null
  readonly liveRunners: number
}
export const hostKinds = ['local', 'kubernetes', 'unknown'] as const
export type HostKind = (typeof hostKinds)[number]

/** A forge installation that the ledger has rows of, and what of them is not over. */
export interface InstallationRow {
  readonly name: string
  readonly openJobs: number
  readonly openAttempts: number
  /** Live runners that hold one of these attempts. */
  readonly liveRunners: number
  readonly pendingDeliveries: number
  readonly openIncidents: number
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
  /** How long the job that waits longest has waited, also where it is held or backs off; 0: none waits. */
  readonly oldestWaitMs: number
  readonly runners: Readonly<Record<Runner['state'], number>>
  /** Live runners in states that only a newer version knows: they use up capacity, and none of them is idle. */
  readonly unreadable: number
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

/** A job or runner that could not be moved to the archive. */
export interface SetAside {
  readonly kind: 'job' | 'runner'
  readonly id: number
  readonly reason: string
  readonly tries: number
  readonly since: Instant
}

/** Of which pod, and on which node it is by the cluster's own word. */
export interface RingOf {
  /** The pod's UID, or the name of a runner that is a process. */
  readonly podUid: string
  /** Null: not known, or a process. */
  readonly node: string | null
}
