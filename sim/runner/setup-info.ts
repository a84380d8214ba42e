import { readFileSync } from 'node:fs'

const LINES_MAX = 100

/** What stands in a `.setup_info`, as GitHub's runner shows it; nothing where there is none that can be read. */
export function setupLines(file: string): string[] {
  let groups: unknown
  try {
    groups = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
  if (!Array.isArray(groups)) return []
  return groups.flatMap(linesOf).slice(0, LINES_MAX)
}

function linesOf(value: unknown): string[] {
  const { group, detail } = (value ?? {}) as { readonly group?: unknown; readonly detail?: unknown }
  if (typeof detail !== 'string' || detail === '') return []
  const name = typeof group === 'string' && group !== '' ? group : 'Machine Setup Info'
  return [`##[group]${name}`, ...detail.trimEnd().split(/\r?\n/), '##[endgroup]']
}
