import { isWhole, type ScaleSetFact } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import { keyOf } from '../joins.ts'
import type { Contract, DeclaredLane } from './contract.ts'

export interface LaneWithSets {
  readonly lane: DeclaredLane
  readonly sets: readonly ScaleSetFact[]
  /** Names of what is declared and not there: `scale set arc-runners/linux`. Empty where the list is not whole. */
  readonly missing: readonly string[]
}

/** The live scale sets of every lane. */
export function lanesWithSets({ lanes }: Contract, { snapshot, joins }: AuditInput): readonly LaneWithSets[] {
  const { scaleSets } = snapshot.cluster
  const byName = Map.groupBy(scaleSets.items, ({ name }) => name)
  const byKey = new Map(scaleSets.items.map((set) => [keyOf(set), [set]]))
  return lanes.map((lane) => {
    const wanted = lane.scaleSets.map((name) => ({
      what: `scale set ${name}`,
      sets: (name.includes('/') ? byKey : byName).get(name) ?? [],
    }))
    const byLabel = { what: 'scale set with its label', sets: joins.setsByLabel.get(lane.label) ?? [] }
    const found = wanted.length > 0 || isGitlab(lane) ? wanted : [byLabel]
    return {
      lane,
      sets: found.flatMap(({ sets }) => sets),
      missing: isWhole(scaleSets)
        ? found.filter(({ sets }) => sets.length === 0).map(({ what }) => what)
        : [],
    }
  })
}

/** Lanes of GitLab Runner are declared in its TOML, and have no scale set. */
function isGitlab({ source }: DeclaredLane): boolean {
  return source?.file.endsWith('.toml') ?? false
}
