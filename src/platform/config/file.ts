import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Path, Problem } from '../../api/schema/index.ts'

/** The content of a file, or undefined if there is none; throws if it cannot be read. */
export type ReadFile = (path: string) => string | undefined

/** A configuration file as it stands, and where each part of it is. */
export interface ConfigFile {
  readonly name: string
  readonly tree: Record<string, unknown>
  lineOf(path: Path): number
}

const fileCharsMax = 1024 * 1024

/** Reads a YAML file; what is wrong with it is added to the problems, without quoting it. */
export function readConfigFile(
  name: string,
  required: boolean,
  readFile: ReadFile,
  problems: Problem[],
): ConfigFile | undefined {
  const refuse = (source: string, got: string, expected: string): undefined => {
    problems.push({ path: name, source, got, expected })
  }
  let text: string | undefined
  try {
    text = readFile(name)
  } catch (error) {
    const otherwise = required ? '' : ', or another data folder (HOLDFAST_DATA_DIR)'
    return refuse(name, codeOf(error), `a file that may be read${otherwise}`)
  }
  if (text === undefined) return required ? refuse(name, 'no such file', 'a YAML file') : undefined
  if (text.length > fileCharsMax) return refuse(name, `${text.length} characters`, `at most ${fileCharsMax}`)
  return parseTree(name, text, refuse)
}

function parseTree(name: string, text: string, refuse: (...words: [string, string, string]) => undefined) {
  const lines = new LineCounter()
  // Its pretty errors quote the source, which may hold secrets.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  for (const { code, pos } of document.errors) {
    refuse(`${name}:${lines.linePos(pos[0]).line}`, code.toLowerCase().replaceAll('_', ' '), 'valid YAML')
  }
  if (document.errors.length > 0) return undefined
  let tree: unknown
  try {
    tree = withoutNulls(document.toJS()) ?? {}
  } catch {
    return refuse(name, 'an alias that leads nowhere or too far', 'valid YAML')
  }
  if (typeof tree !== 'object' || Array.isArray(tree))
    return refuse(`${name}:1`, 'no map', 'a map of settings')
  return {
    name,
    tree: tree as Record<string, unknown>,
    lineOf: (path: Path) => lines.linePos(offsetOf(document, path)).line,
  }
}

/** An empty value in YAML is null; it means "not set", as when all lines of a section are commented out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const kept = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)]))
}

function offsetOf(document: Document, path: Path): number {
  let node: unknown = document.contents
  let offset = 0
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (isScalar(pair?.key)) offset = pair.key.range?.[0] ?? offset
      node = pair?.value
    } else if (isSeq(node)) {
      node = node.items[Number(step)]
      offset = rangeStart(node) ?? offset
    }
  }
  return offset
}

function rangeStart(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'a file that cannot be read'
}
