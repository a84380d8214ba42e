import type { ForgeJobFact, Snapshot } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { type LabelLoad, labelKey } from '../label-load.ts'

/** The jobs of one repository under the same labels. */
export interface RepositoryDemand {
  readonly repository: string
  /** Of all its jobs, in milliseconds; the wait so far of those that still wait. */
  readonly waitsMs: number[]
  readonly queued: (ForgeJobFact & { readonly queuedAt: Instant })[]
  lastStartedAt: Instant | null
}

/** All jobs that ask for the same labels: they compete for the same runners. */
export interface Demand {
  readonly labels: readonly string[]
  readonly byRepository: Map<string, RepositoryDemand>
  /** When jobs were queued that have got a runner. */
  readonly startedQueuedAt: Instant[]
}

/** Demand by labels, as far as a known scale set serves one of them. Jobs without times are left out. */
export function demands(
  { forge, takenAt }: Snapshot,
  loads: ReadonlyMap<string, LabelLoad>,
): readonly Demand[] {
  const byLabels = new Map<string, Demand>()
  for (const job of forge.jobs.items) {
    const { queuedAt } = job
    if (queuedAt === null || !job.labels.some((label) => loads.has(labelKey(label)))) continue
    const labels = job.labels.map(labelKey).sort()
    const key = labels.join(',')
    const demand = byLabels.get(key) ?? { labels, byRepository: new Map(), startedQueuedAt: [] }
    byLabels.set(key, demand)
    note(demand, { ...job, queuedAt }, takenAt)
  }
  return [...byLabels.values()]
}

function note(demand: Demand, job: ForgeJobFact & { readonly queuedAt: Instant }, now: Instant): void {
  const { repository, queuedAt, startedAt } = job
  const own = demand.byRepository.get(repository) ?? newDemand(repository)
  demand.byRepository.set(repository, own)
  if (job.status === 'queued') {
    own.queued.push(job)
    own.waitsMs.push(Math.max(0, now - queuedAt))
  } else if (startedAt !== null) {
    own.waitsMs.push(Math.max(0, startedAt - queuedAt))
    own.lastStartedAt = Math.max(own.lastStartedAt ?? startedAt, startedAt)
    demand.startedQueuedAt.push(queuedAt)
  }
}

function newDemand(repository: string): RepositoryDemand {
  return { repository, waitsMs: [], queued: [], lastStartedAt: null }
}

/** The job that waits longest; null where none waits. */
export function oldestQueued({ queued }: RepositoryDemand): RepositoryDemand['queued'][number] | null {
  return queued.reduce<RepositoryDemand['queued'][number] | null>(
    (oldest, job) => (oldest === null || job.queuedAt < oldest.queuedAt ? job : oldest),
    null,
  )
}
