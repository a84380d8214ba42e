import type { Path, Problem } from '../api/schema/index.ts'
import { quantityText } from '../domain/quantity.ts'
import { pathText } from '../platform/config/index.ts'
import type { ContractTree, LaneTree } from './schema.ts'

/** Contradictions between the parts of a contract. */
export function consistencyProblems(
  tree: ContractTree,
  sourceOf: (path: Path) => string,
): readonly Problem[] {
  const labels = new Set(tree.lanes.map(({ label }) => label))
  const known = `the label of a lane in this file (${[...labels].join(', ') || 'there is none'})`
  const problem = (path: Path, got: string, expected: string): Problem => ({
    path: pathText(path),
    source: sourceOf(path),
    got,
    expected,
  })
  return [
    ...repeatedSets(tree).map(({ path, got }) => problem(path, got, 'each scale set once for each label')),
    ...tree.lanes.flatMap((lane, index) => [
      ...laneProblems(lane, ['lanes', index]).map(({ path, got, expected }) => problem(path, got, expected)),
      ...(lane.afterOom === null || (labels.has(lane.afterOom) && lane.afterOom !== lane.label)
        ? []
        : [problem(['lanes', index, 'afterOom'], lane.afterOom, `another lane: ${known}`)]),
    ]),
    ...repeatedHosts(tree).map(({ path, got }) => problem(path, got, 'each runner host once')),
    ...(tree.nixCache?.lanes ?? []).flatMap((label, index) =>
      labels.has(label) ? [] : [problem(['nixCache', 'lanes', index], label, known)],
    ),
  ]
}

interface Found {
  readonly path: Path
  readonly got: string
}

function repeatedSets({ lanes }: ContractTree): Found[] {
  const seen = new Set<string>()
  return lanes.flatMap(({ label, scaleSets }, lane) =>
    scaleSets.flatMap((name, index) => {
      const key = `${label} ${name}`
      if (!seen.has(key)) {
        seen.add(key)
        return []
      }
      return { path: ['lanes', lane, 'scaleSets', index], got: `${name} a second time for ${label}` }
    }),
  )
}

function repeatedHosts({ runnerHosts }: ContractTree): Found[] {
  return runnerHosts.flatMap(({ name }, index) =>
    runnerHosts.findIndex((host) => host.name === name) === index
      ? []
      : { path: ['runnerHosts', index, 'name'], got: `${name} a second time` },
  )
}

function laneProblems({ minRunners, maxRunners, containers }: LaneTree, path: Path) {
  const counts =
    minRunners !== null && maxRunners !== null && minRunners > maxRunners
      ? [
          {
            path: [...path, 'minRunners'],
            got: String(minRunners),
            expected: `at most maxRunners, ${maxRunners}`,
          },
        ]
      : []
  const amounts = Object.entries(containers).flatMap(([name, { requests, limits }]) =>
    Object.entries(requests).flatMap(([resource, amount]) => {
      const limit = limits[resource]
      if (limit === undefined || amount <= limit) return []
      const expected = `at most its limit, ${quantityText(resource, limit)}`
      return {
        path: [...path, 'containers', name, 'requests', resource],
        got: quantityText(resource, amount),
        expected,
      }
    }),
  )
  return [...counts, ...amounts]
}
