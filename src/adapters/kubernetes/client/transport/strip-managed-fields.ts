/** As the API writes it: within `metadata`, after other fields. In a string its quotes would be escaped. */
const beginMark = ',"managedFields":['
const [QUOTE, BACKSLASH, BRACKET, BRACKET_END, BRACE, BRACE_END] = [34, 92, 91, 93, 123, 125] as const

/**
 * JSON without who manages which field: that is half of an object's text and most of its depth, and to read it only to
 * drop it takes half of what reading a watch takes. What is not found where the API writes it stays.
 */
export function stripManagedFields(json: string): string {
  let at = json.indexOf(beginMark)
  if (at === -1) return json
  let kept = ''
  let from = 0
  for (; at !== -1; at = json.indexOf(beginMark, from)) {
    const end = endOfList(json, at + beginMark.length - 1)
    if (end === -1) break
    kept += json.slice(from, at)
    from = end
  }
  return kept + json.slice(from)
}

/** Where a list ends that begins here; -1 where it does not. */
function endOfList(json: string, begin: number): number {
  let depth = 0
  for (let at = begin; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfText(json, at)
      if (at === -1) return -1
    } else if (code === BRACKET || code === BRACE) depth += 1
    else if (code === BRACKET_END || code === BRACE_END) {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return -1
}

/** The quote that ends a text; -1 where none does. */
function endOfText(json: string, begin: number): number {
  let at = json.indexOf('"', begin + 1)
  while (at !== -1 && isEscaped(json, at)) at = json.indexOf('"', at + 1)
  return at
}

function isEscaped(json: string, at: number): boolean {
  let slashes = 0
  while (json.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1
  return slashes % 2 === 1
}
