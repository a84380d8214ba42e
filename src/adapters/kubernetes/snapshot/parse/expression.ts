import type { NodeExpression } from '../../../../domain/snapshot/index.ts'
import { type Cursor, nameNeeded, ShapeProblem, texts } from './cursor.ts'

const nodeOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'] as const

/** An expression over labels, of nodes or of pods. */
export function parseExpression(expression: Cursor): NodeExpression {
  const given = nameNeeded(expression, 'operator')
  const operator = nodeOperators.find((known) => known === given)
  if (operator === undefined) throw new ShapeProblem(`${expression.path}.operator is none that is known`)
  return { key: nameNeeded(expression, 'key'), operator, values: texts(expression, 'values') }
}
