import { oneLine } from '../../redact/index.ts'
import type { Snapshot } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { isTime, newestEntries } from '../../timeline/index.ts'
import type { TriageCase } from '../case.ts'
import { eventsOf } from './events.ts'
import { gapsOf } from './gaps.ts'
import { forgeUndated, jobRows, queuedRows } from './of-forge.ts'
import { nodeRows, nodeUndated } from './of-node.ts'
import {
  containerRows,
  deletionRows,
  eventRows,
  eventUndated,
  podMade,
  podRows,
  podUndated,
} from './of-pod.ts'
import { listenerRows, runnerRows, runnerUndated } from './of-runner.ts'
import { type Anchor, markedByReading, type TimelineCaseRow, type UndatedFact } from './row.ts'

/** The words of forge, cluster and node about one job or runner, in one list. */
export interface CaseTimeline {
  /** By time; those of one time with causes above their effects. */
  readonly rows: readonly TimelineCaseRow[]
  /** Older rows that were left out. */
  readonly leftOut: number
  /** Known, and nobody says since when. */
  readonly undated: readonly UndatedFact[]
  readonly undatedLeftOut: number
  /** Parts that could not be read, or are not there. */
  readonly gaps: readonly string[]
  /** When the runner or its job ended, the first of both; null where neither did, or nobody says when. */
  readonly endAt: Instant | null
}

const undatedMax = 40

/** Merges the facts of a case. A fact that is missing takes its own rows away, and changes nothing else. */
export function timelineOf(found: TriageCase, snapshot: Snapshot): CaseTimeline {
  const { job, runner, pod, listeners } = found
  const events = eventsOf(found, snapshot)
  const anchors: readonly Anchor[] = [
    podMade(pod),
    { at: runner?.createdAt ?? null, what: 'its runner was made' },
  ]
  const readAt = readAtOf(snapshot)
  // Most times are whole seconds: an effect stands below its cause here, and the sort is stable.
  const rows = [
    ...listenerRows(listeners, snapshot.cluster.pods.items),
    ...queuedRows(job),
    ...runnerRows(runner),
    ...nodeRows(pod, snapshot),
    ...podRows(pod),
    ...eventRows(events, pod),
    ...containerRows(pod),
    ...jobRows(job, anchors),
  ].map((row) => markedByReading(row, readAt))
  const undated = [
    ...forgeUndated(found),
    ...runnerUndated(runner),
    ...podUndated(pod),
    ...eventUndated(events),
    ...nodeUndated(pod, snapshot),
  ]
  const { entries, leftOut } = newestEntries([...rows, ...deletionRows(pod)])
  return {
    rows: entries.map((row) => ({ ...row, text: oneLine(row.text) })),
    leftOut,
    undated: undated.slice(0, undatedMax).map(({ source, text }) => ({ source, text: oneLine(text) })),
    undatedLeftOut: Math.max(0, undated.length - undatedMax),
    gaps: gapsOf(found, snapshot, events).map(oneLine),
    endAt: endAtOf(found),
  }
}

/** A list is read within two minutes: only times after all of them are in the future. */
function readAtOf({ takenAt, cluster, forge }: Snapshot): Instant {
  const { pods, runners, listeners, events, nodes, nodeUsage, nodeProbes } = cluster
  const lists = [pods, runners, listeners, events, nodes, nodeUsage, nodeProbes, forge.jobs]
  return Math.max(takenAt, ...lists.map(({ at }) => at))
}

function endAtOf({ job, pod }: TriageCase): Instant | null {
  const runner = pod?.statuses.find(({ name }) => name === 'runner')?.state?.finishedAt ?? null
  const ends = [runner, job?.completedAt ?? null].filter(isTime)
  const [deletedAt = null] = [pod?.deletedAt ?? null].filter(isTime)
  return ends.length > 0 ? Math.min(...ends) : deletedAt
}
