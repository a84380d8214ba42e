import type { Path, Problem } from '../api/schema/index.ts'
import { problemText } from '../api/schema/index.ts'
import type { Contract, DeclaredLane, LaneField, SourcePlace } from '../domain/audit/index.ts'
import { laneFields } from '../domain/audit/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { type ConfigFile, type ReadFile, readConfigFile, schemaProblems } from '../platform/config/index.ts'
import { consistencyProblems } from './consistency.ts'
import { type ContractTree, contractSchema, type LaneTree } from './schema.ts'

const reference = 'docs/contract-file.md'

/** Reads a contract file. Throws one E_CONTRACT_INVALID that names every problem with its line. */
export function readContract(file: string, readFile: ReadFile): Contract {
  const problems: Problem[] = []
  const source = readConfigFile(file, true, readFile, problems)
  const tree = source === undefined ? null : parseTree(source, problems)
  if (source === undefined || tree === null || problems.length > 0)
    throw new HoldfastError('E_CONTRACT_INVALID', { file, problems: [...new Set(problems.map(problemText))] })
  return toContract(tree, source)
}

function parseTree(source: ConfigFile, problems: Problem[]): ContractTree | null {
  const parsed = contractSchema.safeParse(source.tree, { error: () => '' })
  const sourceOf = (path: Path) => `${source.name}:${source.lineOf(path)}`
  for (const issue of parsed.error?.issues ?? [])
    problems.push(...schemaProblems(issue, source.tree, { schema: contractSchema, sourceOf, reference }))
  if (parsed.data === undefined) return null
  problems.push(...consistencyProblems(parsed.data, sourceOf))
  return parsed.data
}

function toContract(tree: ContractTree, source: ConfigFile): Contract {
  return {
    version: 1,
    file: source.name,
    lanes: tree.lanes.map((lane, index) => toLane(lane, source, ['lanes', index])),
    fixes: tree.fixes,
    images: tree.images,
    minimumRunnerVersion: tree.minimumRunnerVersion,
    nixCache: tree.nixCache,
    runnerHosts: tree.runnerHosts,
    platformProofs: tree.platformProofs,
  }
}

function toLane(lane: LaneTree, source: ConfigFile, path: Path): DeclaredLane {
  const { declaredIn, priorityPolicy, containers, ...rest } = lane
  return {
    ...rest,
    containers: Object.entries(containers).map(([name, container]) => ({ name, ...container })),
    hasPriorityPolicy: priorityPolicy,
    source: declaredIn.lane ?? { file: source.name, line: source.lineOf(path) },
    places: Object.fromEntries(laneFields.map((field) => [field, placeOf(field, lane, source, path)])),
  }
}

/** The place that is declared for a part, else for the lane, else the part's own line in the contract. */
function placeOf(field: LaneField, lane: LaneTree, source: ConfigFile, path: Path): SourcePlace {
  const declared = lane.declaredIn[field] ?? lane.declaredIn.lane
  return declared ?? { file: source.name, line: source.lineOf([...path, field]) }
}
