import type { NodeExpression, NodeFact, PodTemplateFact, TaintFact, Toleration } from '../snapshot/index.ts'

type Placed = Pick<PodTemplateFact, 'nodeSelector' | 'tolerations' | 'nodeAffinity'>

/** Why a pod may not be placed on a node, whatever is free there; null: it may. */
export function placementRefusal(pod: Placed, node: NodeFact): string | null {
  if (node.isCordoned) return 'it is cordoned'
  if (node.conditions.some(({ type, status }) => type === 'Ready' && status !== 'True'))
    return 'it is not Ready'
  const selector = Object.entries(pod.nodeSelector).find(([key, value]) => node.labels[key] !== value)
  if (selector !== undefined) return `it has not the label ${selector.join('=')}`
  const taint = node.taints.find(
    (each) => repels(each) && !pod.tolerations.some((own) => tolerates(own, each)),
  )
  if (taint !== undefined) return `its taint ${taint.key} is not tolerated`
  const isNear =
    pod.nodeAffinity?.some((term) => term.length > 0 && term.every((each) => holds(each, node))) ?? true
  return isNear ? null : 'the required node affinity excludes it'
}

function repels({ effect }: TaintFact): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute'
}

function tolerates({ key, operator, value, effect }: Toleration, taint: TaintFact): boolean {
  if (effect !== null && effect !== '' && effect !== taint.effect) return false
  if (key === null || key === '') return operator === 'Exists'
  if (key !== taint.key) return false
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '')
}

function holds(expression: NodeExpression, node: NodeFact): boolean {
  const { key } = expression
  return expressionHolds(expression, key === 'metadata.name' ? node.name : node.labels[key])
}

/** Whether an expression holds for the value of its label; undefined where there is no such label. */
export function expressionHolds({ operator, values }: NodeExpression, own: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return own !== undefined && values.includes(own)
    case 'NotIn':
      return own === undefined || !values.includes(own)
    case 'Exists':
      return own !== undefined
    case 'DoesNotExist':
      return own === undefined
    case 'Gt':
      return own !== undefined && Number(own) > Number(values[0])
    case 'Lt':
      return own !== undefined && Number(own) < Number(values[0])
  }
}
