import { durationText, percent } from '../../format.ts'
import type { Snapshot } from '../../snapshot/index.ts'
import type { AuditTable } from '../finding.ts'
import { keyOf } from '../joins.ts'
import { someOf } from '../judging.ts'
import type { LabelLoad } from '../label-load.ts'
import { type Demand, oldestQueued, type RepositoryDemand } from './demand.ts'

/** Rows of a table, the most telling first; a page with more is not read. */
const rowsMax = 100

/** Label → sets → nodes → runners by what they do. */
export function topologyTable(loads: ReadonlyMap<string, LabelLoad>): AuditTable {
  const rows = [...loads.values()].flatMap(({ label, sets }) =>
    sets.map(({ set, nodes, holders, idle, pending, failed }) => [
      label,
      keyOf(set),
      nodes.length === 0 ? 'none' : someOf(nodes, 3),
      set.maxRunners === null ? 'no maximum' : String(set.maxRunners),
      ...[holders.length, idle, pending, failed].map(String),
    ]),
  )
  return bounded('Labels, their sets and nodes', rows, [
    ...['label', 'scale set', 'nodes', 'max', 'active', 'idle', 'pending', 'failed'],
  ])
}

/** Holders of each label by repository and workflow, with their share of the runners that work. */
export function holdersTable(loads: ReadonlyMap<string, LabelLoad>): AuditTable {
  const rows = [...loads.values()].flatMap(({ label, sets }) => {
    const holders = sets.flatMap((load) => load.holders)
    const counts = new Map<string, number>()
    for (const { repository, workflow } of holders) {
      const key = `${repository ?? 'unknown'}\n${workflow ?? 'unknown'}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
    return [...counts]
      .sort(([, a], [, b]) => b - a)
      .map(([key, count]) => [label, ...key.split('\n'), String(count), percent(count / holders.length)])
  })
  return bounded('Holders of labels', rows, ['label', 'repository', 'workflow', 'runners', 'share'])
}

/** Waits by repository and labels. The wait so far of a queued job counts: without it the starving look served. */
export function waitsTable(all: readonly Demand[], { takenAt }: Snapshot): AuditTable {
  const rows = all
    .flatMap(({ labels, byRepository }) =>
      [...byRepository.values()]
        .filter(({ waitsMs }) => waitsMs.length > 0)
        .map((own) => ({ labels, own, sorted: own.waitsMs.toSorted((a, b) => a - b) })),
    )
    .sort((a, b) => (b.sorted.at(-1) ?? 0) - (a.sorted.at(-1) ?? 0))
    .map(({ labels, own, sorted }) => [
      labels.join(', '),
      own.repository,
      String(sorted.length),
      ...[0.5, 0.9, 1].map((share) => durationText(percentile(sorted, share))),
      String(own.queued.length),
      longestWait(own, takenAt),
    ])
  return bounded('Waits for a runner', rows, [
    ...['labels', 'repository', 'jobs', 'p50', 'p90', 'max', 'waiting now', 'longest'],
  ])
}

/** Nearest rank; of a list that is not empty. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

function longestWait(own: RepositoryDemand, now: number): string {
  const oldest = oldestQueued(own)
  return oldest === null ? '' : durationText(now - oldest.queuedAt)
}

function bounded(title: string, rows: readonly string[][], columns: readonly string[]): AuditTable {
  const isCut = rows.length > rowsMax
  return {
    title: isCut ? `${title} (${rowsMax} of ${rows.length})` : title,
    columns,
    rows: rows.slice(0, rowsMax),
  }
}
