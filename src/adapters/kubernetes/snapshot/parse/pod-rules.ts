import type { NodeExpression, PodRulesFact, PodTermFact } from '../../../../domain/snapshot/index.ts'
import { type Cursor, each, has, inside, name, nameNeeded, textMap, texts } from './cursor.ts'
import { parseExpression } from './expression.ts'

/** The required rules of a pod about other pods. */
export function parsePodRules(spec: Cursor): PodRulesFact {
  const affinity = inside(spec, 'affinity')
  const terms = (kind: string) =>
    each(inside(affinity, kind), 'requiredDuringSchedulingIgnoredDuringExecution').map(parseTerm)
  return {
    affinity: terms('podAffinity'),
    antiAffinity: terms('podAntiAffinity'),
    spread: each(spec, 'topologySpreadConstraints')
      .filter((constraint) => name(constraint, 'whenUnsatisfiable') === 'DoNotSchedule')
      .map((constraint) => nameNeeded(constraint, 'topologyKey')),
  }
}

function parseTerm(term: Cursor): PodTermFact {
  const everywhere = has(term, 'namespaceSelector')
  const namespaceSelector = inside(term, 'namespaceSelector')
  const isSelective = has(namespaceSelector, 'matchLabels') || has(namespaceSelector, 'matchExpressions')
  const keys = [...texts(term, 'matchLabelKeys'), ...texts(term, 'mismatchLabelKeys')]
  return {
    topologyKey: nameNeeded(term, 'topologyKey'),
    selector: has(term, 'labelSelector') ? parseSelector(inside(term, 'labelSelector')) : null,
    // An empty namespace selector means all of them.
    namespaces: everywhere && !isSelective ? null : texts(term, 'namespaces'),
    isWhole: !isSelective && keys.length === 0,
  }
}

function parseSelector(selector: Cursor): readonly NodeExpression[] {
  const labels = Object.entries(textMap(selector, 'matchLabels')).map(
    ([key, value]): NodeExpression => ({ key, operator: 'In', values: [value] }),
  )
  return [...labels, ...each(selector, 'matchExpressions').map(parseExpression)]
}
