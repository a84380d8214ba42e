import type {
  Delivery,
  Enterprise,
  Hook,
  Installation,
  Instant,
  Job,
  Message,
  Owner,
  Refusal,
  Repository,
  Run,
  Runner,
  RunnerGroup,
} from './model.ts'
import { Past } from './past.ts'

/** Finished jobs and gone runners beyond these are forgotten, the oldest first. */
const finishedJobsMax = 20_000
const goneRunnersMax = 20_000
/** Messages that nobody takes are lost, the oldest first. */
const webhooksMax = 20_000
/** The bound of kept messages. */
const deliveriesMax = 20_000

/** Large first numbers, as a real forge has: what keeps ids in 32 bits breaks here first. */
const firstIds = {
  repository: 700_001,
  run: 10_000_000_001,
  job: 30_000_000_001,
  runner: 1,
  webhook: 1,
  delivery: 90_000_000_001,
  account: 1,
  group: 2,
  installation: 50_000_002,
}

interface Rows {
  readonly repositories: Repository
  readonly runs: Run
  readonly jobs: Job
  readonly runners: Runner
  readonly webhooks: Message
  readonly deliveries: Delivery
  readonly owners: Owner
  readonly enterprises: Enterprise
  readonly groups: RunnerGroup
  readonly installations: Installation
  readonly refusals: Refusal
  readonly hooks: Hook
}
export type TableName = keyof Rows

/** The change of one write; null: the row is gone. */
export type Change = {
  [T in TableName]: { readonly table: T; readonly id: number; readonly row: Rows[T] | null }
}[TableName]

export interface Counters {
  readonly now: Instant
  readonly nextIds: Readonly<Record<keyof typeof firstIds, number>>
}

/** All that the forge knows, as JSON. */
export interface Snapshot extends Counters {
  readonly rows: { readonly [T in TableName]: readonly Rows[T][] }
}

/** The rows of the forge. Every write goes through `put` and `drop`, which remember what changed. */
export class Store {
  readonly repositories = new Map<number, Repository>()
  readonly runs = new Map<number, Run>()
  readonly jobs = new Map<number, Job>()
  readonly runners = new Map<number, Runner>()
  readonly webhooks = new Map<number, Message>()
  readonly deliveries = new Map<number, Delivery>()
  readonly owners = new Map<number, Owner>()
  readonly enterprises = new Map<number, Enterprise>()
  readonly groups = new Map<number, RunnerGroup>()
  readonly installations = new Map<number, Installation>()
  readonly refusals = new Map<number, Refusal>()
  readonly hooks = new Map<number, Hook>()
  /** Derived, so that no step walks through what is over. */
  readonly queued = new Set<number>()
  readonly queuedOf = new Map<string, Set<number>>()
  /** Jobs with which the forge goes on by itself. */
  readonly timed = new Set<number>()
  readonly live = new Set<number>()
  readonly liveOf = new Map<string, Set<number>>()
  readonly byJit = new Map<string, number>()
  readonly bySession = new Map<string, number>()
  readonly byFullName = new Map<string, number>()
  readonly repositoriesOf = new Map<string, Set<number>>()
  readonly runsOf = new Map<string, Set<number>>()
  readonly jobsOfRun = new Map<number, Set<number>>()
  readonly past = new Past()
  now: Instant = 0
  #nextIds: Record<keyof typeof firstIds, number> = { ...firstIds }
  #changes = new Map<string, Change>()

  constructor(snapshot?: Snapshot) {
    if (snapshot === undefined) return
    for (const table of tableNames) {
      for (const row of snapshot.rows[table] ?? []) this.#apply({ table, id: row.id, row } as Change)
    }
    this.apply([], snapshot)
  }

  nextId(kind: keyof typeof firstIds): number {
    const id = this.#nextIds[kind]
    this.#nextIds[kind] = id + 1
    return id
  }

  put<T extends TableName>(table: T, row: Rows[T]): void {
    this.#change({ table, id: row.id, row } as Change)
    if (table === 'webhooks' && this.webhooks.size > webhooksMax) this.#dropFirst('webhooks', () => true)
    if (table === 'deliveries' && this.deliveries.size > deliveriesMax) {
      this.#dropFirst('deliveries', () => true)
    }
    if (table === 'jobs' && this.jobs.size - finishedJobsMax > this.#openJobs) this.#forgetJob()
    if (table === 'runners' && this.runners.size - goneRunnersMax > this.live.size) {
      this.#dropFirst('runners', (runner) => runner.state === 'gone')
    }
  }

  drop(table: TableName, id: number): void {
    this.#change({ table, id, row: null } as Change)
  }

  /** The changes since the last call, each row once, to be persisted. */
  takeChanges(): Change[] {
    const changes = [...this.#changes.values()]
    this.#changes.clear()
    return changes
  }

  /** Repeats changes that were taken from another store. */
  apply(changes: readonly Change[], counters: Counters): void {
    for (const change of changes) this.#apply(change)
    this.now = counters.now
    this.#nextIds = { ...firstIds, ...counters.nextIds }
  }

  counters(): Counters {
    return { now: this.now, nextIds: { ...this.#nextIds } }
  }

  snapshot(): Snapshot {
    const rows = Object.fromEntries(tableNames.map((table) => [table, [...this[table].values()]]))
    return { ...this.counters(), rows: rows as unknown as Snapshot['rows'] }
  }

  #openJobs = 0

  #change(change: Change): void {
    this.#changes.set(`${change.table}/${change.id}`, change)
    this.#apply(change)
  }

  #apply(change: Change): void {
    const before = this[change.table].get(change.id)
    if (change.row === null) this[change.table].delete(change.id)
    else (this[change.table] as Map<number, unknown>).set(change.id, change.row)
    if (change.table === 'jobs') this.#indexJob(before as Job | undefined, change.row)
    else if (change.table === 'runners') this.#indexRunner(before as Runner | undefined, change.row)
    else if (change.table === 'runs') this.#indexRun(before as Run | undefined, change.row)
    else if (change.table === 'repositories' && change.row) {
      this.#indexRepository(before as Repository | undefined, change.row)
    }
  }

  #indexRepository(before: Repository | undefined, after: Repository): void {
    if (before && before.fullName !== after.fullName) {
      this.byFullName.delete(before.fullName)
      exclude(this.repositoriesOf, ownerOf(before), before.id)
    }
    this.byFullName.set(after.fullName, after.id)
    include(this.repositoriesOf, ownerOf(after), after.id)
  }

  #indexJob(before: Job | undefined, after: Job | null): void {
    this.past.note('jobs', (after ?? before)?.id ?? 0, before, this.now)
    if (before && after && before.repository !== after.repository) {
      exclude(this.queuedOf, before.repository, before.id)
    }
    // A row that stays in an index keeps its place there: the queue is in order of arrival.
    if (after?.status === 'queued') {
      this.queued.add(after.id)
      include(this.queuedOf, after.repository, after.id)
    } else if (before) {
      this.queued.delete(before.id)
      exclude(this.queuedOf, before.repository, before.id)
    }
    if (after?.dueAt !== undefined) this.timed.add(after.id)
    else if (before?.dueAt !== undefined) this.timed.delete(before.id)
    if (before && before.status !== 'completed') this.#openJobs -= 1
    if (after && after.status !== 'completed') this.#openJobs += 1
    if (!before && after) include(this.jobsOfRun, after.runId, after.id)
    if (before && !after) exclude(this.jobsOfRun, before.runId, before.id)
  }

  #indexRun(before: Run | undefined, after: Run | null): void {
    this.past.note('runs', (after ?? before)?.id ?? 0, before, this.now)
    const isSame = before?.repository === after?.repository
    if (after && !isSame) include(this.runsOf, after.repository, after.id)
    if (before && !isSame) exclude(this.runsOf, before.repository, before.id)
  }

  #indexRunner(before: Runner | undefined, after: Runner | null): void {
    this.past.note('runners', (after ?? before)?.id ?? 0, before, this.now)
    if (before && after && before.repository !== after.repository) {
      exclude(this.liveOf, before.repository, before.id)
    }
    if (after !== null && after.state !== 'gone') {
      this.live.add(after.id)
      include(this.liveOf, after.repository, after.id)
    } else if (before) {
      this.live.delete(before.id)
      exclude(this.liveOf, before.repository, before.id)
    }
    if (after === null) {
      if (before) this.byJit.delete(before.jit)
      if (before?.session) this.bySession.delete(before.session)
      return
    }
    this.byJit.set(after.jit, after.id)
    if (after.session !== null) this.bySession.set(after.session, after.id)
  }

  #forgetJob(): void {
    const job = this.#dropFirst('jobs', (row) => row.status === 'completed')
    if (job !== undefined && !this.jobsOfRun.has(job.runId)) this.drop('runs', job.runId)
  }

  #dropFirst<T extends TableName>(table: T, isOver: (row: Rows[T]) => boolean): Rows[T] | undefined {
    for (const row of (this[table] as unknown as Map<number, Rows[T]>).values()) {
      if (!isOver(row)) continue
      this.drop(table, row.id)
      return row
    }
    return undefined
  }
}

const tableNames = [
  'repositories',
  'runs',
  'jobs',
  'runners',
  'webhooks',
  'deliveries',
  'owners',
  'enterprises',
  'groups',
  'installations',
  'refusals',
  'hooks',
] as const satisfies TableName[]

function ownerOf({ fullName }: Repository): string {
  return fullName.split('/')[0] as string
}

function include<K>(index: Map<K, Set<number>>, key: K, id: number): void {
  const ids = index.get(key)
  if (ids === undefined) index.set(key, new Set([id]))
  else ids.add(id)
}

function exclude<K>(index: Map<K, Set<number>>, key: K, id: number): void {
  const ids = index.get(key)
  ids?.delete(id)
  if (ids?.size === 0) index.delete(key)
}
