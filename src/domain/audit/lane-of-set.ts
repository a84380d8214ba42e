import type { ScaleSetFact } from '../snapshot/index.ts'
import type { Contract, DeclaredLane } from './contract/contract.ts'
import { keyOf } from './joins.ts'
import { labelKey } from './label-load.ts'

/** Finds the lane that declares a scale set, by its name or else by its labels. */
export function laneFinder(contract: Contract | null): (set: ScaleSetFact) => DeclaredLane | null {
  const lanes = contract?.lanes ?? []
  const byName = new Map(lanes.flatMap((lane) => lane.scaleSets.map((name) => [name, lane] as const)))
  const byLabel = new Map(
    lanes.filter(({ scaleSets }) => scaleSets.length === 0).map((lane) => [labelKey(lane.label), lane]),
  )
  return (set) =>
    byName.get(keyOf(set)) ??
    byName.get(set.name) ??
    set.runnerLabels.map((label) => byLabel.get(labelKey(label))).find((lane) => lane !== undefined) ??
    null
}
