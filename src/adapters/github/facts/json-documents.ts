/** The parsed documents of a text, or where it stops being JSON. */
export type JsonDocuments =
  | { readonly kind: 'documents'; readonly documents: readonly unknown[] }
  | { readonly kind: 'broken'; readonly atCharacter: number; readonly why: string }

/** Parses one JSON document after the other: `gh api --paginate` prints its pages without anything between them. */
export function jsonDocuments(text: string): JsonDocuments {
  const documents: unknown[] = []
  let from = startOf(text, 0)
  while (from < text.length) {
    const to = endOf(text, from)
    try {
      documents.push(JSON.parse(text.slice(from, to)))
    } catch (error) {
      return { kind: 'broken', atCharacter: from, why: (error as Error).message }
    }
    from = startOf(text, to)
  }
  return { kind: 'documents', documents }
}

function startOf(text: string, from: number): number {
  let at = from
  while (at < text.length && /[\s\uFEFF]/.test(text[at] as string)) at += 1
  return at
}

/** The end of the object or array that begins here; of anything else, and of one that never ends, the end of the text. */
function endOf(text: string, from: number): number {
  const marks = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs
  marks.lastIndex = from
  let depth = 0
  for (let mark = marks.exec(text); mark !== null; mark = marks.exec(text)) {
    const [found] = mark
    if (found === '{' || found === '[') depth += 1
    else if (found === '}' || found === ']') depth -= 1
    if (depth <= 0) return found.startsWith('"') ? text.length : marks.lastIndex
  }
  return text.length
}
