import type { Attempt } from '../../../src/domain/attempt/index.ts'
import type { HostSamples } from '../../../src/domain/death/index.ts'
import type { Incident } from '../../../src/domain/incident/index.ts'
import type { Job } from '../../../src/domain/job/index.ts'
import type { Pool } from '../../../src/domain/pool/index.ts'
import type { BoundedAct } from '../../../src/domain/recovery/index.ts'
import type { Runner } from '../../../src/domain/runner/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { BudgetReading } from '../../../src/ports/budget.ts'
import type {
  DecisionRow,
  Delivery,
  DeliveryRow,
  EvidenceRow,
  HostRow,
  JobFile,
  TimelineRow,
} from '../../../src/ports/ledger.ts'
import type { Sealed } from '../../../src/ports/vault.ts'

/** A row by its table and number. */
export interface RowName {
  readonly kind: 'job' | 'attempt' | 'runner'
  readonly id: number
}

/** The state that a host's heartbeats report. */
export interface KeptHost extends Omit<HostRow, 'isLost' | 'liveRunners'> {
  readonly beatingSince: Instant
}

/** The samples that an agent pushed. */
interface KeptSamples {
  readonly samples: HostSamples
  readonly pushedAt: Instant
}

/** A repository or an account to which the forge refuses runners. */
export interface Hold {
  /** The incident with whose end it is over. */
  readonly incidentId: number | null
  /** A repository (`owner/name`) or an owner; the two cannot be mistaken for each other. */
  readonly key: string
  readonly reason: string
  readonly until: Instant
}

export interface KeptDelivery extends DeliveryRow, Pick<Delivery, 'body'> {
  readonly retryAt: Instant
}

/** A runner that ended, with its death and what else was its own. */
interface ArchivedRunner {
  readonly runner: Runner
  readonly death: EvidenceRow
  readonly timeline: readonly TimelineRow[]
  readonly decisions: readonly DecisionRow[]
}

/** All rows, as the tables of the database hold them. Rows never change: a write puts a new one. */
export interface State {
  jobs: Map<number, Job>
  attempts: Map<number, Attempt>
  runners: Map<number, Runner>
  /** By attempt; there only while its runner may fetch it (I2). */
  jits: Map<number, Sealed>
  evidence: Map<number, EvidenceRow>
  pools: Map<string, Pool>
  /** With the retired ones, as they were last: runners and jobs name them. */
  everyPool: Map<string, Pool>
  /** The greatest token of each lease. */
  leases: Map<string, string>
  holds: Hold[]
  incidents: Map<number, Incident>
  budgets: Map<string, BudgetReading>
  deliveries: Map<string, KeptDelivery>
  cursors: Map<string, Instant>
  timeline: TimelineRow[]
  decisions: Map<number, DecisionRow>
  /** The decisions that count against a bound. */
  boundedActs: Map<number, BoundedAct & { readonly at: Instant }>
  archived: Map<number, JobFile>
  /** Runners that ended, with their deaths, by their ids. */
  archivedRunners: Map<number, ArchivedRunner>
  positions: Map<string, number>
  /** The last reading of the clock. */
  notedAt: Instant
  /** By pod, in the order of their pushes. */
  hostSamples: Map<string, KeptSamples>
  hosts: Map<string, KeptHost>
  /** Rows that a newer version wrote and this one cannot read, by their names. */
  unreadable: Map<string, RowName>
}

/** Whether what is of an installation is given out and looked at now. */
export type IsServed = (of: { readonly installation: string }) => boolean

export function emptyState(): State {
  return {
    jobs: new Map(),
    attempts: new Map(),
    runners: new Map(),
    jits: new Map(),
    evidence: new Map(),
    pools: new Map(),
    everyPool: new Map(),
    leases: new Map(),
    holds: [],
    incidents: new Map(),
    budgets: new Map(),
    deliveries: new Map(),
    cursors: new Map(),
    timeline: [],
    decisions: new Map(),
    boundedActs: new Map(),
    archived: new Map(),
    archivedRunners: new Map(),
    positions: new Map(),
    notedAt: 0,
    hostSamples: new Map(),
    hosts: new Map(),
    unreadable: new Map(),
  }
}

/** A second state with the same rows, to go back to. */
export function copyState(state: State): State {
  return {
    jobs: new Map(state.jobs),
    attempts: new Map(state.attempts),
    runners: new Map(state.runners),
    jits: new Map(state.jits),
    evidence: new Map(state.evidence),
    pools: new Map(state.pools),
    everyPool: new Map(state.everyPool),
    leases: new Map(state.leases),
    holds: [...state.holds],
    incidents: new Map(state.incidents),
    budgets: new Map(state.budgets),
    deliveries: new Map(state.deliveries),
    cursors: new Map(state.cursors),
    timeline: [...state.timeline],
    decisions: new Map(state.decisions),
    boundedActs: new Map(state.boundedActs),
    archived: new Map(state.archived),
    archivedRunners: new Map(state.archivedRunners),
    positions: new Map(state.positions),
    notedAt: state.notedAt,
    hostSamples: new Map(state.hostSamples),
    hosts: new Map(state.hosts),
    unreadable: new Map(state.unreadable),
  }
}

export function openAttemptOfJob(state: State, jobId: number): Attempt | null {
  return find(state.attempts, (attempt) => attempt.jobId === jobId && attempt.endedAt === null)
}

export function openAttemptOfRunner(state: State, runnerId: number): Attempt | null {
  return find(state.attempts, (attempt) => attempt.runnerId === runnerId && attempt.endedAt === null)
}

export function attemptByHandle(state: State, handle: string): Attempt | null {
  return find(state.attempts, (attempt) => attempt.handle === handle)
}

/** The first row, in the order of insertion, for which the question holds. */
export function find<Row>(rows: ReadonlyMap<unknown, Row>, holds: (row: Row) => boolean): Row | null {
  for (const row of rows.values()) if (holds(row)) return row
  return null
}

export function filter<Row>(rows: ReadonlyMap<unknown, Row>, holds: (row: Row) => boolean): Row[] {
  return [...rows.values()].filter(holds)
}
