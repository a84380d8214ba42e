import { isRecord } from '../../../../domain/is-record.ts'
import type { JsonMap } from '../json.ts'
import { type Problem, sentence } from '../problem.ts'
import { type ListRule, listRules } from './lists.ts'

export interface Merged {
  readonly value: JsonMap
  /** The parts that could not be merged; the value is without them. */
  readonly problems: readonly string[]
}

interface Spot {
  /** With indexes, for people. */
  readonly at: string
  /** Without indexes, for the rules. */
  readonly path: string
  readonly report: (problem: Problem) => void
}

/**
 * Merges a pod template into a pod as Kubernetes merges a strategic patch: maps field by field, lists by their merge
 * keys, `null` removes a field, `$patch: delete` an element, `$patch: replace` what was there. One thing is made
 * easier for people: an element that can have one field of several (a volume's source, a variable's value) takes the
 * template's alone, without `$retainKeys`.
 */
export function mergeTemplate(pod: JsonMap, template: JsonMap): Merged {
  const problems: string[] = []
  const report = (problem: Problem): void => void problems.push(sentence(problem))
  const value = mergeMap(pod, template, { at: '', path: '', report })
  return { value: value ?? {}, problems }
}

/** Undefined: it is to go. */
function mergeMap(base: JsonMap, patch: JsonMap, spot: Spot): JsonMap | undefined {
  const { $patch = 'merge', ...fields } = patch
  if ($patch === 'delete') return undefined
  if (!isDirective($patch, spot)) return base
  const merged = new Map($patch === 'replace' ? [] : Object.entries(base))
  for (const [field, value] of Object.entries(fields)) {
    const inner = below(spot, field)
    if (field.startsWith('$')) {
      refuseDirective(field, value, inner)
      continue
    }
    const result = value === null ? undefined : mergeValue(merged.get(field), value, inner)
    if (result === undefined) merged.delete(field)
    else merged.set(field, result)
  }
  return Object.fromEntries(merged)
}

function mergeValue(base: unknown, patch: unknown, spot: Spot): unknown {
  if (base !== undefined && kindOf(base) !== kindOf(patch)) {
    spot.report({ at: spot.at, expected: kindOf(base), got: patch, todo: 'Write it as Kubernetes has it.' })
    return base
  }
  if (isRecord(patch)) return mergeMap(isRecord(base) ? base : {}, patch, spot)
  if (!Array.isArray(patch)) return patch
  const rule = listRules.get(spot.path)
  return rule === undefined
    ? replacedList(patch, spot)
    : mergeList(Array.isArray(base) ? base : [], patch, rule, spot)
}

/** Elements that the template adds come after those that were there, in its order. */
function mergeList(
  base: readonly unknown[],
  patch: readonly unknown[],
  rule: ListRule,
  spot: Spot,
): unknown[] {
  const isReplaced = patch.some(
    (element) => isRecord(element) && element.$patch === 'replace' && !(rule.key in element),
  )
  let there = isReplaced ? [] : [...base]
  const added: unknown[] = []
  for (const [index, element] of patch.entries()) {
    const inner = { ...spot, at: `${spot.at}[${index}]` }
    if (isReplaced && isRecord(element) && element.$patch === 'replace') continue
    const key = isRecord(element) ? element[rule.key] : undefined
    if (!isRecord(element) || key === undefined || key === null) {
      const todo = `Elements of this list find each other by their ${rule.key}.`
      spot.report({ at: inner.at, expected: `a map with the field ${rule.key}`, got: element, todo })
      continue
    }
    const at = there.findIndex((candidate) => isRecord(candidate) && candidate[rule.key] === key)
    const before = at < 0 ? {} : (there[at] as JsonMap)
    const result = mergeMap(rule.isOneOf ? kept(before, element, rule) : before, element, inner)
    if (at < 0 && result !== undefined) added.push(result)
    else if (at >= 0) there = there.toSpliced(at, 1, ...(result === undefined ? [] : [result]))
  }
  return [...there, ...added]
}

/** Where the template says what an element is made of, nothing else of it stays. */
function kept(before: JsonMap, element: JsonMap, { key }: ListRule): JsonMap {
  const source = Object.keys(before).find((field) => field !== key)
  const isSaid = Object.entries(element).some(
    ([field, value]) => field !== key && field !== source && !field.startsWith('$') && value !== null,
  )
  return isSaid ? { [key]: before[key] } : before
}

function replacedList(patch: readonly unknown[], spot: Spot): readonly unknown[] {
  for (const [index, element] of patch.entries()) {
    if (!isRecord(element) || !('$patch' in element)) continue
    const todo = 'This list has no merge key and is replaced as a whole: write all of it.'
    spot.report({ at: `${spot.at}[${index}]`, expected: 'no $patch', got: element.$patch, todo })
  }
  return patch
}

function isDirective(directive: unknown, { at, report }: Spot): boolean {
  if (directive === 'merge' || directive === 'replace') return true
  report({
    at: `${at}.$patch`,
    expected: 'delete, replace or merge',
    got: directive,
    todo: 'Write one of these.',
  })
  return false
}

function refuseDirective(field: string, got: unknown, { at, report }: Spot): void {
  const todo = 'kubectl computes such fields; here $patch (delete, replace) and null say what is to go.'
  report({ at, expected: `no ${field}`, got, todo })
}

function below({ at, path, report }: Spot, field: string): Spot {
  return { at: at === '' ? field : `${at}.${field}`, path: path === '' ? field : `${path}.${field}`, report }
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return isRecord(value) ? 'a map' : `a ${typeof value}`
}
