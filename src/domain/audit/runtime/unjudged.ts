import { isWhole, type Listing, type Snapshot, type SnapshotScope } from '../../snapshot/index.ts'
import type { Unjudged } from '../finding.ts'
import { unjudgedBy } from '../judging.ts'
import { classNamed, type RuntimeClass } from './classes.ts'
import type { FleetView } from './view.ts'

type Needed = (snapshot: Snapshot) => readonly Listing<unknown>[]

const arcObjects: Needed = ({ cluster }) => [cluster.scaleSets, cluster.runnerSets, cluster.runners]
const listeners: Needed = ({ cluster }) => [cluster.scaleSets, cluster.listeners, cluster.pods, cluster.logs]
const pods: Needed = ({ cluster }) => [cluster.scaleSets, cluster.runners, cluster.pods, cluster.logs]
const forgeLists: Needed = ({ forge }) => [forge.runners, forge.jobs]
const versions: Needed = ({ cluster, forge }) => [cluster.scaleSets, cluster.runners, forge.runners]

/** The lists of which every part must be known before a class can be called absent. */
const needs: Readonly<Record<RuntimeClass, readonly Needed[]>> = {
  'listener-missing': [arcObjects, listeners],
  'listener-crash-loop': [listeners],
  'listener-not-ready': [listeners],
  'scale-set-never-registered': [arcObjects, ({ cluster }) => [cluster.logs]],
  'rollover-deadlock': [arcObjects, ({ cluster }) => [cluster.listeners]],
  'stale-idle-listener-blocker': [arcObjects, ({ cluster }) => [cluster.listeners]],
  'stale-generation': [arcObjects, listeners],
  'idle-leak': [arcObjects],
  'failed-runners-hold-slots': [arcObjects],
  'runners-in-failure-back-off': [arcObjects, ({ cluster }) => [cluster.logs]],
  'finalizer-stuck': [pods, forgeLists],
  outdated: [arcObjects, pods],
  'runner-version-refused-now': [versions],
  'runner-version-refused-soon': [versions],
  'quota-exceeded': [pods, ({ cluster }) => [cluster.quotas]],
  'cancelled-job-handoff': [pods, forgeLists],
  'label-unreachable': [({ cluster }) => [cluster.scaleSets], forgeLists],
  'offline-no-job-cleanup-candidate': [({ cluster }) => [cluster.scaleSets, cluster.runners], forgeLists],
  'assigned-job-at-risk': [pods, forgeLists],
}

/** Classes that rest on an absence which a snapshot narrowed by this cannot show. */
const narrowedBy: Readonly<Record<keyof SnapshotScope, readonly RuntimeClass[]>> = {
  namespaces: ['listener-missing', 'rollover-deadlock', 'stale-idle-listener-blocker', 'label-unreachable'],
  labels: ['label-unreachable'],
  nodes: [
    'listener-missing',
    'listener-crash-loop',
    'finalizer-stuck',
    'quota-exceeded',
    'assigned-job-at-risk',
  ],
}

/** Classes of which nothing can be said where they were not found, each with the parts that are missing. */
export function unjudgedClasses({ snapshot, sets }: FleetView): readonly Unjudged[] {
  if (sets.length === 0 && isWhole(snapshot.cluster.scaleSets)) return []
  const unread = classNames.flatMap((name) => {
    const lists = new Set(needs[name].flatMap((needed) => needed(snapshot)))
    return [...lists].flatMap((list) => unjudgedBy([classNamed(name)], list))
  })
  const left = scopeKeys.flatMap((key) => {
    if (snapshot.scope[key] === null) return []
    const why = `the snapshot is narrowed by its ${key}`
    return narrowedBy[key].map((name) => ({ class: name, why, needs: 'a snapshot of the whole cluster' }))
  })
  return [...unread, ...left]
}

const classNames = Object.keys(needs) as RuntimeClass[]
const scopeKeys = Object.keys(narrowedBy) as (keyof SnapshotScope)[]
