import { type Decision, decide } from '../../src/domain/recovery/index.ts'
import { type Combination, combinations } from '../../test/support/recovery-combinations.ts'
import { now } from '../../test/support/rows.ts'

/** Rows of the decision table in which values that lead to the same are one. */
export interface MatrixRow {
  readonly situations: readonly string[]
  readonly hosted: readonly string[]
  readonly forgeJob: readonly string[]
  readonly forgeRunner: readonly string[]
  readonly decision: string
}

type Axis = 'situation' | 'hosted' | 'forgeJob' | 'forgeRunner'
const axes: readonly Axis[] = ['situation', 'hosted', 'forgeJob', 'forgeRunner']

/** A decision for some of the values of an axis, or a table over the next axis. */
type Node = string | readonly Branch[]
interface Branch {
  readonly values: readonly string[]
  readonly node: Node
}

/** The whole table over the subjects of one kind, without loss: values of an axis are merged only where all behind them is equal. */
export function matrixOf(kind: 'job' | 'attempt' | 'runner'): readonly MatrixRow[] {
  return rowsOf(tableOf([...combinations([kind])], 0))
}

function tableOf(cells: readonly Combination[], depth: number): Node {
  const axis = axes[depth]
  if (axis === undefined) return decisionText(decide((cells[0] as Combination).view, now))
  const groups = new Map<string, Branch>()
  for (const [value, those] of Map.groupBy(cells, (cell) => cell[axis])) {
    const node = tableOf(those, depth + 1)
    const key = JSON.stringify(node)
    groups.set(key, { values: [...(groups.get(key)?.values ?? []), value], node })
  }
  return [...groups.values()]
}

function rowsOf(table: Node): MatrixRow[] {
  const walk = (node: Node, path: readonly (readonly string[])[]): MatrixRow[] => {
    if (typeof node !== 'string')
      return node.flatMap(({ values, node: next }) => walk(next, [...path, values]))
    const [situations = [], hosted = [], forgeJob = [], forgeRunner = []] = path
    return [{ situations, hosted, forgeJob, forgeRunner, decision: node }]
  }
  return walk(table, [])
}

function decisionText(decision: Decision): string {
  if (decision.kind === 'leave') return `leave: ${decision.reason}`
  if (decision.kind === 'wait') return `${decision.rule}: wait`
  if (decision.kind === 'refresh') return `${decision.rule}: read ${decision.facts.join(', ')}`
  const actions = decision.actions.map((action) => {
    if (action.kind === 'end-attempt') return `end-attempt (${action.fate.kind})`
    if (action.kind === 'stop-runner') return `stop-runner${action.evenIfStarted ? ' (also started)' : ''}`
    return action.kind === 'hear' ? 'apply-event' : action.kind
  })
  return `${decision.rule}: ${actions.join(', ')}`
}
