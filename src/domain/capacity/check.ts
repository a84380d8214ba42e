import { type Load, lanePacking, placedCount } from './lane-packing.ts'
import { type Limiter, limiterOf } from './limiter.ts'
import type { CapacityLane, CapacityModel } from './model.ts'
import { pack } from './packing/index.ts'

/** How many runners of a label can run at once, under one load of the others. */
export interface Schedulable {
  readonly load: Load
  readonly slots: number
  /** No more than this could be found by any placement; equal to `slots` where the figure is proven. */
  readonly atMost: number
  /** Slots of lanes that compete for the same nodes or limits, which are declared and do not fit themselves. */
  readonly othersLeftOut: number
  readonly limiter: Limiter | null
}

export interface LabelCapacity {
  readonly label: string
  /** Names of its scale sets, with namespace. */
  readonly sets: readonly string[]
  /** Null where a set declares no maximum. */
  readonly declared: number | null
  readonly running: number
  readonly unscheduled: number
  readonly atCurrentLoad: Schedulable
  readonly atDeclaredLoad: Schedulable
  /** The lesser of declared and schedulable at current load. */
  readonly effective: number
}

/** Steps for patterns that all labels share, in equal parts: some 2 s of one core. */
const patternStepsTotal = 500_000_000

/** Declared against schedulable for every label, or for those asked for; none where no node is known. */
export function checkCapacity(
  model: CapacityModel,
  labels: readonly string[] | null,
): readonly LabelCapacity[] {
  if (!model.areNodesKnown) return []
  const known = [...new Set(model.lanes.flatMap((lane) => lane.labels))].sort()
  const asked = labels === null ? known : known.filter((label) => labels.includes(label))
  const steps = Math.floor(patternStepsTotal / Math.max(1, asked.length))
  return asked.map((label) => labelCapacity(model, label, steps))
}

function labelCapacity(model: CapacityModel, label: string, patternSteps: number): LabelCapacity {
  const lanes = model.lanes.filter((lane) => lane.labels.includes(label))
  const declared = lanes.reduce<number | null>(
    (sum, { maxRunners }) => (sum === null || maxRunners === null ? null : sum + maxRunners),
    0,
  )
  const atCurrentLoad = schedulable(model, lanes, 'current', patternSteps)
  return {
    label,
    sets: lanes.map(({ namespace, name }) => `${namespace}/${name}`),
    declared,
    running: sumOf(lanes, placedCount),
    unscheduled: sumOf(lanes, (lane) => lane.unscheduled),
    atCurrentLoad,
    atDeclaredLoad: schedulable(model, lanes, 'declared', patternSteps),
    effective: Math.min(declared ?? Number.POSITIVE_INFINITY, atCurrentLoad.slots),
  }
}

function schedulable(
  model: CapacityModel,
  lanes: readonly CapacityLane[],
  load: Load,
  patternSteps: number,
): Schedulable {
  const problem = lanePacking(model, lanes, load)
  const packed = pack(problem.packing, patternSteps)
  const standing = load === 'current' ? sumOf(lanes, placedCount) : 0
  const othersCount = problem.packing.required.reduce((sum, { count }) => sum + count, 0)
  return {
    load,
    slots: packed.wanted + standing,
    atMost: packed.upperBound + standing,
    othersLeftOut: othersCount - packed.required,
    limiter: limiterOf(problem, packed),
  }
}

function sumOf(lanes: readonly CapacityLane[], amount: (lane: CapacityLane) => number): number {
  return lanes.reduce((sum, lane) => sum + amount(lane), 0)
}
