import { didYouMean } from '../../../did-you-mean.ts'
import { keyAfterTable, nestedResourceKeys, podspecType, unknownKey } from '../classes.ts'
import type { TomlEntry } from '../document.ts'
import { file, runner } from '../keys/file.ts'
import { kubernetes } from '../keys/kubernetes.ts'
import { resourceShapes } from '../keys/resources.ts'
import type { Keys } from '../keys/shape.ts'
import type { Problem } from '../problem.ts'

/** Tables that a person writes from habit with pods, and that GitLab Runner does not have. */
const resourceTables = new Set(['resources', 'limits', 'requests', 'resource_limits', 'resource_requests'])

/**
 * A key that its table does not take. Of a table that takes any key (`keys` is null) only one that GitLab Runner knows
 * elsewhere is misplaced; null where it is not.
 */
export function misplaced(entry: TomlEntry, path: readonly string[], keys: Keys): Problem
export function misplaced(entry: TomlEntry, path: readonly string[], keys: null): Problem | null
export function misplaced(entry: TomlEntry, path: readonly string[], keys: Keys | null): Problem | null {
  const key = entry.key.toLowerCase()
  if (keys !== null && resourceTables.has(key) && entry.value.kind === 'table') return nested(entry, path)
  const isCertain = keys === null && (entry.value.kind === 'string' ? isOnlySetting(key) : key in kubernetes)
  const home = keys === null ? (isCertain ? mapHome(path) : null) : homeOf(key, path)
  if (home !== null) return afterTable(entry, path, home, keys === null)
  return keys === null ? null : unknown(entry, path, keys)
}

/** The table in which GitLab Runner would read the key; null: nowhere else. */
function homeOf(key: string, path: readonly string[]): string | null {
  if (isBelowKubernetes(path) && key in kubernetes) return 'runners.kubernetes'
  if (path.length === 2 && path[0] === 'runners' && key in kubernetes) return 'runners.kubernetes'
  if (path.length > 2 && key in runner) return 'runners'
  if (path.length > 1 && key in file && key !== 'runners') return 'the top of the file'
  return path.length === 1 && (key in runner || key === 'kubernetes') ? 'runners' : null
}

/** Of a key that a table which takes any key has swallowed. */
function mapHome(path: readonly string[]): string | null {
  return isBelowKubernetes(path) ? 'runners.kubernetes' : null
}

function isBelowKubernetes(path: readonly string[]): boolean {
  return path[1]?.toLowerCase() === 'kubernetes' && path.length > 3
}

/** Keys that nobody gives a label, an annotation or a node. */
function isOnlySetting(key: string): boolean {
  return key in resourceShapes || (key in kubernetes && key.includes('_'))
}

function nested(entry: TomlEntry, path: readonly string[]): Problem {
  const key = path.join('.')
  return {
    class: nestedResourceKeys,
    severity: 'warning',
    line: entry.line,
    path: key,
    summary: `${key} is a table that GitLab Runner does not read: jobs run without these requests and limits.`,
    fix: 'Write cpu_limit, memory_limit, cpu_request and memory_request as strings directly in [runners.kubernetes], before any nested header.',
  }
}

function afterTable(entry: TomlEntry, path: readonly string[], home: string, isMap: boolean): Problem {
  const table = path.slice(0, -1).join('.') || 'the top of the file'
  const isTaken = isMap && entry.value.kind === 'string'
  const isSelector = path.at(-2)?.toLowerCase() === 'node_selector'
  const consequence = !isMap
    ? 'GitLab Runner passes over it without a word'
    : isTaken
      ? `GitLab Runner's lint calls it valid, and it becomes ${isSelector ? 'a node selector: no job pod can be placed unless a node has that label' : 'an entry of that table'}`
      : 'GitLab Runner refuses the whole file'
  return {
    class: keyAfterTable,
    severity: isMap && (isSelector || !isTaken) ? 'critical' : 'warning',
    line: entry.line,
    path: path.join('.'),
    summary: `${entry.key} stands in ${table} and not in ${home}: ${consequence}.`,
    fix: `Move ${entry.key} to ${home}, before the header of any nested table.`,
  }
}

function unknown(entry: TomlEntry, path: readonly string[], keys: Keys): Problem {
  const meant = didYouMean(entry.key, Object.keys(keys))
  return {
    class: path.includes('pod_spec') ? podspecType : unknownKey,
    severity: 'warning',
    line: entry.line,
    path: path.join('.'),
    // Another release may know it.
    confidence: 'likely',
    summary: `GitLab Runner knows no ${path.join('.')}: it passes over it without a word.`,
    fix: meant === undefined ? `Take ${entry.key} out, or find its right place.` : `Did you mean ${meant}?`,
  }
}
