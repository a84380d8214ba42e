import { readFileSync } from 'node:fs'

const linesMax = 100

/** The content of a `.setup_info` as GitHub's runner shows it; empty where there is none that can be read. */
export function setupLines(file: string): string[] {
  let groups: unknown
  try {
    groups = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
  if (!Array.isArray(groups)) return []
  return groups.flatMap(linesOf).slice(0, linesMax)
}

function linesOf(value: unknown): string[] {
  const { group, detail } = (value ?? {}) as { readonly group?: unknown; readonly detail?: unknown }
  if (typeof detail !== 'string' || detail === '') return []
  const name = typeof group === 'string' && group !== '' ? group : 'Machine Setup Info'
  return [`##[group]${name}`, ...detail.trimEnd().split(/\r?\n/), '##[endgroup]']
}
