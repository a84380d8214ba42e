import type { RunnerFact, RunnerSetFact, ScaleSetFact, Snapshot } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import type { AuditInput } from '../audit.ts'
import { keyOf, type SnapshotJoins } from '../joins.ts'
import { type ArcLogs, readArcLogs } from './arc-logs.ts'
import { newestGeneration } from './generation.ts'
import { type ListenerStanding, listenerStandings } from './listener.ts'

/** One set of ARC with all that belongs to it. */
export interface SetView {
  readonly set: ScaleSetFact
  /** One in a healthy set; a missing listener is an entry too. */
  readonly listeners: readonly ListenerStanding[]
  readonly generations: readonly RunnerSetFact[]
  /** Null where nothing separates the generations, or there is none. */
  readonly newest: RunnerSetFact | null
  /** All runners, those that are being deleted too. */
  readonly runners: readonly RunnerFact[]
  /** Runners that are not being deleted and have not finished: each holds a slot. */
  readonly holders: readonly RunnerFact[]
}

export interface FleetView {
  readonly snapshot: Snapshot
  readonly joins: SnapshotJoins
  readonly logs: ArcLogs
  readonly now: Instant
  readonly sets: readonly SetView[]
}

/** The counts in a set's status are stale in every release: everything here is counted from the objects. */
export function viewFleet({ snapshot, joins }: AuditInput): FleetView {
  const logs = readArcLogs(snapshot)
  const sets = snapshot.cluster.scaleSets.items.filter(
    ({ origin, deletedAt }) => origin === 'arc' && deletedAt === null,
  )
  return {
    snapshot,
    joins,
    logs,
    now: snapshot.takenAt,
    sets: sets.map((set) => viewSet(set, { snapshot, joins, logs })),
  }
}

function viewSet(set: ScaleSetFact, facts: Pick<FleetView, 'snapshot' | 'joins' | 'logs'>): SetView {
  const generations = facts.joins.generationsBySet.get(keyOf(set)) ?? []
  const runners = facts.joins.runnersBySet.get(keyOf(set)) ?? []
  return {
    set,
    listeners: listenerStandings(set, facts),
    generations,
    newest: newestGeneration(set, generations),
    runners,
    holders: runners.filter(({ deletedAt, phase }) => deletedAt === null && phase !== 'Succeeded'),
  }
}

/** Whether the list of listeners is whole and has none of the set. */
export function hasNoListener({ listeners }: SetView): boolean {
  return listeners.every(({ kind }) => kind === 'absent')
}

/** Zero where the age is unknown: the young are never judged. */
export function ageMs({ createdAt }: { readonly createdAt: Instant | null }, now: Instant): number {
  return createdAt === null ? 0 : now - createdAt
}

/** Whether any object of the set says that GitHub refuses its runners' version. */
export function saysOutdated({ set, generations, runners }: SetView): boolean {
  return [set, ...generations, ...runners].some(({ phase }) => phase === 'Outdated')
}
