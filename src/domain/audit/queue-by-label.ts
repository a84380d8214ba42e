import type { ForgeJobFact, Snapshot } from '../snapshot/index.ts'
import { activeOf, type LabelLoad, labelKey, maximumOf, type SetLoad } from './label-load.ts'
import { scopeOf, scopesOf } from './set-scope.ts'

/** A healthy listener gets a runner for a job within this; a shorter wait is no queue. */
const queueGraceMs = 60_000

/** Queued jobs that have waited for longer than the grace, with how long. Without a time, nobody knows how long. */
export function waitingJobs({ forge, takenAt }: Snapshot): readonly (ForgeJobFact & { queuedAt: number })[] {
  return forge.jobs.items.filter(
    (job): job is ForgeJobFact & { queuedAt: number } =>
      job.status === 'queued' && job.queuedAt !== null && takenAt - job.queuedAt >= queueGraceMs,
  )
}

/** The sets that take jobs of a repository under one label. */
export interface Reach {
  readonly sets: readonly SetLoad[]
  readonly active: number
  /** Null: without a bound. */
  readonly maximum: number | null
}

/**
 * Looks up what serves a label for a repository: a set serves its own repository, organisation or enterprise, so that
 * one label can be full for one owner and free for another. The same sets give the same object.
 */
export function reachByLabel(
  loads: ReadonlyMap<string, LabelLoad>,
): (label: string, repository: string) => Reach | null {
  const scopes = new Map([...loads].map(([key, load]) => [key, byScope(load)]))
  const known = new Map<string, Reach>()
  return (label, repository) => {
    const key = labelKey(label)
    const groups = scopes.get(key)
    const serving = scopesOf(repository).filter((scope) => groups?.has(scope))
    if (serving.length === 0) return null
    const reachKey = [key, ...serving].join(' ')
    const reach = known.get(reachKey) ?? reachOf(serving.flatMap((scope) => groups?.get(scope) ?? []))
    known.set(reachKey, reach)
    return reach
  }
}

function byScope({ sets }: LabelLoad): ReadonlyMap<string, readonly SetLoad[]> {
  return Map.groupBy(sets, ({ set }) => scopeOf(set.configUrl))
}

function reachOf(sets: readonly SetLoad[]): Reach {
  return { sets, active: activeOf(sets), maximum: maximumOf(sets) }
}
