import { valueType } from '../classes.ts'
import type { TomlEntry, TomlNode, TomlTable } from '../document.ts'
import { file } from '../keys/file.ts'
import type { Keys, Shape } from '../keys/shape.ts'
import type { Problem } from '../problem.ts'
import { misplaced } from './misplaced.ts'
import { podSpecProblem } from './pod-spec.ts'

/** Keys that are not where GitLab Runner looks for them, and values of a type that it does not take. */
export function shapeProblems(root: TomlTable): readonly Problem[] {
  return tableProblems(root, file, [])
}

function tableProblems(table: TomlTable, keys: Keys, path: readonly string[]): readonly Problem[] {
  return table.entries.flatMap((entry) => {
    const shape = keys[entry.key.toLowerCase()]
    const at = [...path, entry.key]
    if (shape === undefined) return [misplaced(entry, at, keys)]
    return podSpecProblem(entry, at) ?? valueProblems(entry.value, shape, entry.line, at)
  })
}

function valueProblems(
  value: TomlNode,
  shape: Shape,
  line: number,
  path: readonly string[],
): readonly Problem[] {
  if (shape === 'anything') return []
  if (shape === 'string-map' || shape === 'boolean-map') return mapProblems(value, shape, line, path)
  if (typeof shape === 'string') return isOf(value, shape) ? [] : [wrongType(value, shape, line, path)]
  if ('table' in shape)
    return value.kind === 'table'
      ? tableProblems(value, shape.table, path)
      : [wrongType(value, 'table', line, path)]
  if (value.kind !== 'array') return [wrongType(value, 'tables', line, path)]
  return value.items.flatMap((item) =>
    item.kind === 'table'
      ? tableProblems(item, shape.tables, path)
      : [wrongType(item, 'table', item.line, path)],
  )
}

/** Of a table that takes any key; one that is anything but a table is dropped without a word. */
function mapProblems(
  value: TomlNode,
  shape: 'string-map' | 'boolean-map',
  line: number,
  path: readonly string[],
): readonly Problem[] {
  if (value.kind !== 'table') return [droppedMap(value, line, path)]
  const wanted = shape === 'string-map' ? 'string' : 'boolean'
  return value.entries.flatMap((entry) => mapEntryProblem(entry, wanted, [...path, entry.key]))
}

function mapEntryProblem(entry: TomlEntry, wanted: 'string' | 'boolean', path: readonly string[]): Problem[] {
  const moved = misplaced(entry, path, null)
  if (moved !== null) return [moved]
  return isOf(entry.value, wanted) ? [] : [wrongType(entry.value, wanted, entry.line, path)]
}

function isOf(value: TomlNode, shape: Exclude<Shape, object>): boolean {
  switch (shape) {
    case 'strings':
      return value.kind === 'array' && value.items.every(({ kind }) => kind === 'string')
    case 'integers':
      return value.kind === 'array' && value.items.every(({ kind }) => kind === 'integer')
    case 'string-or-strings':
      return isOf(value, 'string') || isOf(value, 'strings')
    case 'duration':
      return value.kind === 'string' || value.kind === 'integer'
    default:
      return value.kind === shape
  }
}

const expectedText: Readonly<Record<string, string>> = {
  string: 'a string in quotes',
  integer: 'a whole number without quotes',
  boolean: 'true or false without quotes',
  duration: 'a duration such as "10s"',
  strings: 'a list of strings',
  integers: 'a list of whole numbers',
  'string-or-strings': 'a string, or a list of strings',
  table: 'one table',
  tables: 'a list of tables',
}

function wrongType(
  value: TomlNode,
  expected: keyof typeof expectedText,
  line: number,
  path: readonly string[],
): Problem {
  const key = path.join('.')
  return {
    class: valueType,
    severity: 'critical',
    line,
    path: key,
    summary: `${key} is ${kindText(value)}, and GitLab Runner wants ${expectedText[expected]}: it refuses the whole file.`,
    fix: headerFix(path, expected) ?? `Write ${expectedText[expected]}.`,
  }
}

function headerFix(path: readonly string[], expected: string): string | null {
  if (expected === 'table') return `Write the header [${path.join('.')}] with single brackets, once.`
  return expected === 'tables' ? `Write the header [[${path.join('.')}]] with double brackets.` : null
}

function droppedMap(value: TomlNode, line: number, path: readonly string[]): Problem {
  const key = path.join('.')
  return {
    class: valueType,
    severity: 'warning',
    line,
    path: key,
    summary: `${key} is ${kindText(value)} and no table: GitLab Runner takes the file, and drops it without a word.`,
    fix: `Write a table: [${key}].`,
  }
}

function kindText({ kind }: TomlNode): string {
  return { integer: 'an integer', array: 'a list', time: 'a time' }[kind as string] ?? `a ${kind}`
}
