import type { AST } from 'toml-eslint-parser'
import type { TomlEntry, TomlNode, TomlTable } from '../domain/audit/index.ts'

/** A table while it is filled: headers and dotted keys add to it from several places. */
interface Table extends TomlTable {
  readonly entries: (TomlEntry & { value: TomlNode })[]
}

/** The file as one tree: what stands under a header is in the table that the header names. */
export function treeOf({ body: [top] }: AST.TOMLProgram): TomlTable {
  const root = newTable(1)
  for (const each of top.body) {
    if (each.type === 'TOMLKeyValue') {
      addEntry(root, each)
      continue
    }
    const table = openTable(root, each)
    for (const entry of each.body) addEntry(table, entry)
  }
  return root
}

function newTable(line: number): Table {
  return { kind: 'table', line, entries: [] }
}

/** The table that a header names; a header without entries makes it too. */
function openTable(root: Table, { resolvedKey, loc }: AST.TOMLTable): Table {
  const { line } = loc.start
  let table = root
  for (const [at, key] of resolvedKey.entries()) {
    if (typeof key === 'number') continue
    const next = resolvedKey[at + 1]
    table = typeof next === 'number' ? itemOf(table, key, next, line) : innerTable(table, key, line)
  }
  return table
}

/** The table under this key, made where it is missing. */
function innerTable(table: Table, key: string, line: number): Table {
  const found = table.entries.find((entry) => entry.key === key)?.value
  if (found?.kind === 'table') return found as Table
  const value = newTable(line)
  table.entries.push({ key, line, value })
  return value
}

/** One of several tables under this key, made where it is missing. */
function itemOf(table: Table, key: string, index: number, line: number): Table {
  const found = table.entries.find((entry) => entry.key === key)?.value
  const items = found?.kind === 'array' ? (found.items as TomlNode[]) : []
  if (found?.kind !== 'array') table.entries.push({ key, line, value: { kind: 'array', line, items } })
  const item = items[index]
  if (item?.kind === 'table') return item as Table
  const made = newTable(line)
  items.push(made)
  return made
}

function addEntry(table: Table, { key: { keys }, value }: AST.TOMLKeyValue): void {
  const names = keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value))
  const line = keys[0]?.loc.start.line ?? 1
  const last = names.pop() ?? ''
  const inner = names.reduce((each, name) => innerTable(each, name, line), table)
  inner.entries.push({ key: last, line, value: nodeOf(value) })
}

function nodeOf(node: AST.TOMLContentNode): TomlNode {
  const { line } = node.loc.start
  if (node.type === 'TOMLArray') return { kind: 'array', line, items: node.elements.map(nodeOf) }
  if (node.type === 'TOMLInlineTable') {
    const table = newTable(line)
    for (const entry of node.body) addEntry(table, entry)
    return table
  }
  const { kind, value } = node
  if (kind === 'string' || kind === 'integer' || kind === 'float' || kind === 'boolean')
    return { kind, line, value }
  return { kind: 'time', line, value: String(node.value) }
}
