import type { LabelCapacity } from './check.ts'
import type { CapacityModel } from './model.ts'
import type { Supposition } from './what-if.ts'

/** More capacity of some labels. `maximum`: more runners are declared. `room`: more places for those that are. */
export interface Raise {
  readonly kind: 'maximum' | 'room'
  readonly labels: readonly string[]
}

interface State {
  readonly model: CapacityModel
  readonly labels: readonly LabelCapacity[]
}

/** The raises in a supposed change, of the labels that were asked for; none where it only takes away. */
export function raisesIn(
  suppositions: readonly Supposition[],
  before: State,
  after: State,
  asked: readonly string[] | null,
): readonly Raise[] {
  const isAsked = (label: string) => asked === null || asked.includes(label)
  const maxima = labelsOf(before.model).filter(
    (label) => isAsked(label) && isHigher(maximumOf(before.model, label), maximumOf(after.model, label)),
  )
  // Room that a lower maximum of other lanes leaves is none that somebody adds.
  const rooms = suppositions.some(addsRoom) ? roomier(before.labels, after.labels) : []
  const raises: readonly Raise[] = [
    { kind: 'maximum', labels: maxima },
    { kind: 'room', labels: rooms.filter((label) => !maxima.includes(label)) },
  ]
  return raises.filter(({ labels }) => labels.length > 0)
}

function labelsOf({ lanes }: CapacityModel): readonly string[] {
  return [...new Set(lanes.flatMap(({ labels }) => labels))].sort()
}

/** Null: a set without a maximum serves it, which cannot be raised. */
function maximumOf({ lanes }: CapacityModel, label: string): number | null {
  return lanes
    .filter(({ labels }) => labels.includes(label))
    .reduce<number | null>(
      (sum, { maxRunners }) => (sum === null || maxRunners === null ? null : sum + maxRunners),
      0,
    )
}

function isHigher(before: number | null, after: number | null): boolean {
  return before !== null && (after === null || after > before)
}

function addsRoom({ kind }: Supposition): boolean {
  return kind === 'nodes-added' || kind === 'quota-changed' || kind === 'lane-moved'
}

function roomier(before: readonly LabelCapacity[], after: readonly LabelCapacity[]): readonly string[] {
  const known = new Map(before.map((each) => [each.label, each]))
  return after
    .filter(({ label, atCurrentLoad, atDeclaredLoad }) => {
      const earlier = known.get(label)
      return (
        earlier !== undefined &&
        (atCurrentLoad.slots > earlier.atCurrentLoad.slots ||
          atDeclaredLoad.slots > earlier.atDeclaredLoad.slots)
      )
    })
    .map(({ label }) => label)
}
