/** A value of a TOML file, and the line at which it stands. */
export type TomlNode = TomlScalar | TomlArray | TomlTable

interface TomlScalar {
  readonly kind: 'string' | 'integer' | 'float' | 'boolean' | 'time'
  readonly line: number
  readonly value: string | number | boolean
}

/** An array, or several tables under one `[[header]]`. */
interface TomlArray {
  readonly kind: 'array'
  readonly line: number
  readonly items: readonly TomlNode[]
}

export interface TomlTable {
  readonly kind: 'table'
  readonly line: number
  readonly entries: readonly TomlEntry[]
}

export interface TomlEntry {
  readonly key: string
  readonly line: number
  readonly value: TomlNode
}

/** GitLab Runner's config.toml, as it is written. */
export interface GitlabConfig {
  readonly file: string
  /** Null where the file is no TOML. */
  readonly root: TomlTable | null
  /** The first mistake of its syntax; the parser stops there, as GitLab Runner does. */
  readonly mistake: { readonly line: number; readonly what: string } | null
}

/** An entry by its key, in any letter case, as GitLab Runner finds it. */
export function entryOf({ entries }: TomlTable, key: string): TomlEntry | null {
  return entries.find((entry) => entry.key.toLowerCase() === key.toLowerCase()) ?? null
}

export function tableIn(table: TomlTable, key: string): TomlTable | null {
  const value = entryOf(table, key)?.value
  return value?.kind === 'table' ? value : null
}

/** The tables of an array of tables; none where it is anything else. */
export function tablesIn(table: TomlTable, key: string): readonly TomlTable[] {
  const value = entryOf(table, key)?.value
  return value?.kind === 'array' ? value.items.filter((item) => item.kind === 'table') : []
}

export function textIn(table: TomlTable, key: string): string | null {
  const value = entryOf(table, key)?.value
  return value?.kind === 'string' ? String(value.value) : null
}

/** A string that says something: GitLab Runner takes an empty one for none. */
export function wordsIn(table: TomlTable, key: string): string | null {
  return textIn(table, key) || null
}

export function numberIn(table: TomlTable, key: string): number | null {
  const value = entryOf(table, key)?.value
  return value?.kind === 'integer' ? Number(value.value) : null
}
