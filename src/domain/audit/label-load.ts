import type { RunnerFact, ScaleSetFact } from '../snapshot/index.ts'
import type { AuditInput } from './audit.ts'
import { keyOf, type SnapshotJoins } from './joins.ts'

/** A runner with a job, and for whom it works. */
export interface Holder {
  readonly runner: RunnerFact
  /** Null where neither its object nor the forge names it. */
  readonly repository: string | null
  readonly workflow: string | null
}

/** The runners of one scale set by what they do. */
export interface SetLoad {
  readonly set: ScaleSetFact
  readonly holders: readonly Holder[]
  readonly idle: number
  readonly pending: number
  readonly failed: number
  /** Names of the nodes where its pods are. */
  readonly nodes: readonly string[]
}

/** Everything that serves one label. */
export interface LabelLoad {
  /** As its sets write it. */
  readonly label: string
  readonly sets: readonly SetLoad[]
}

/** The load of each label, by the label in lower case: the forge compares labels without case. */
export function labelLoads(input: AuditInput): ReadonlyMap<string, LabelLoad> {
  const { labels } = input.narrowed
  const wanted = labels === null ? null : new Set(labels.map(labelKey))
  const loads = new Map<string, { label: string; sets: SetLoad[] }>()
  for (const set of input.snapshot.cluster.scaleSets.items) {
    const load = loadOfSet(set, input.joins)
    for (const label of set.runnerLabels) {
      const key = labelKey(label)
      if (wanted !== null && !wanted.has(key)) continue
      const known = loads.get(key)
      if (known === undefined) loads.set(key, { label, sets: [load] })
      else known.sets.push(load)
    }
  }
  return loads
}

export function labelKey(label: string): string {
  return label.toLowerCase()
}

export function activeOf(sets: readonly SetLoad[]): number {
  return sets.reduce((sum, { holders }) => sum + holders.length, 0)
}

/** Null: a set without a maximum serves it. */
export function maximumOf(sets: readonly SetLoad[]): number | null {
  return sets.reduce<number | null>(
    (sum, { set }) => (sum === null || set.maxRunners === null ? null : sum + set.maxRunners),
    0,
  )
}

function loadOfSet(set: ScaleSetFact, joins: SnapshotJoins): SetLoad {
  const holders: Holder[] = []
  const nodes = new Set<string>()
  let [idle, pending, failed] = [0, 0, 0]
  for (const runner of joins.runnersBySet.get(keyOf(set)) ?? []) {
    const node = joins.podByKey.get(keyOf(runner))?.node ?? null
    if (node !== null) nodes.add(node)
    const holder = holderOf(runner, joins)
    if (holder !== null) holders.push(holder)
    else if (runner.deletedAt !== null || runner.phase === 'Succeeded') continue
    else if (runner.phase === 'Failed') failed += 1
    else if (runner.phase === 'Running' && runner.isReady) idle += 1
    else pending += 1
  }
  return { set, holders, idle, pending, failed, nodes: [...nodes] }
}

/** A runner that its own object, the forge's list or a job of the forge calls busy; null for every other. */
export function holderOf(runner: RunnerFact, joins: SnapshotJoins): Holder | null {
  const job = joins.jobsByRunner.get(runner.name)?.find(({ status }) => status === 'in_progress')
  const isBusy = joins.forgeRunnerByName.get(runner.name)?.isBusy === true
  if (runner.job === null && job === undefined && !isBusy) return null
  return {
    runner,
    repository: job?.repository ?? runner.job?.repository ?? null,
    workflow: job?.workflow ?? workflowOf(runner.job?.workflowRef ?? null),
  }
}

/** `ci.yml` of `acme/web/.github/workflows/ci.yml@refs/heads/main`. */
function workflowOf(ref: string | null): string | null {
  return ref?.split('@', 1)[0]?.split('/').at(-1) ?? null
}

/** `acme/web (ci.yml) 3`: who holds runners, most first. */
export function holderCounts(holders: readonly Holder[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const { repository, workflow } of holders) {
    const name = `${repository ?? 'unknown repository'} (${workflow ?? 'unknown workflow'})`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${name} ${count}`)
}
