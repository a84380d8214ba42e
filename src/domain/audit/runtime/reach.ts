import type { ForgeJobFact, Snapshot } from '../../snapshot/index.ts'
import { labelKey } from '../label-load.ts'
import { everywhere, scopeOf, scopesOf } from '../set-scope.ts'

/** Labels that are served for a scope, by a set or by registered runners. */
interface Offer {
  readonly labels: ReadonlySet<string>
  /** An organisation or a repository, or everywhere. */
  readonly scope: string
}

/** Everything that can take jobs, by each of its labels: a set of ARC that the forge has no number for takes none. */
export function offersOf({ cluster, forge }: Snapshot): ReadonlyMap<string, readonly Offer[]> {
  const distinct = new Map<string, Offer>()
  const note = (labels: readonly string[], scope: string): void => {
    const key = `${scope} ${labels.join(' ')}`
    if (!distinct.has(key)) distinct.set(key, { labels: new Set(lowered(labels)), scope })
  }
  for (const { origin, forgeScaleSetId, runnerLabels, configUrl } of cluster.scaleSets.items) {
    if (forgeScaleSetId !== null || origin === 'holdfast') note(runnerLabels, scopeOf(configUrl))
  }
  for (const { labels, scope } of forge.runners.items) note(labels, scope?.toLowerCase() ?? everywhere)
  return byEachLabel([...distinct.values()], ({ labels }) => [...labels])
}

export function isReachable(job: ForgeJobFact, offers: ReadonlyMap<string, readonly Offer[]>): boolean {
  const [first = '', ...others] = lowered(job.labels)
  const scopes = scopesOf(job.repository)
  return (offers.get(first) ?? []).some(
    ({ labels, scope }) => others.every((label) => labels.has(label)) && scopes.includes(scope),
  )
}

/** Queued jobs by each of their labels. */
export function queuedByLabel({ forge }: Snapshot): ReadonlyMap<string, readonly ForgeJobFact[]> {
  return byEachLabel(queuedJobs(forge.jobs.items), ({ labels }) => lowered(labels))
}

export function byEachLabel<T>(
  items: readonly T[],
  labelsOf: (item: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> {
  const pairs = items.flatMap((item) => labelsOf(item).map((label) => ({ label, item })))
  const groups = Map.groupBy(pairs, ({ label }) => label)
  return new Map([...groups].map(([label, group]) => [label, group.map(({ item }) => item)]))
}

export function queuedJobs(jobs: readonly ForgeJobFact[]): readonly ForgeJobFact[] {
  return jobs.filter(({ status }) => status === 'queued')
}

/** The forge compares labels without case. */
export function lowered(labels: readonly string[]): readonly string[] {
  return labels.map(labelKey)
}
