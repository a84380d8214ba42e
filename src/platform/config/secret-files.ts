import type { ReadFile } from './file.ts'

const referencePrefix = 'file:'

/** Puts the content of a file in place of each `file:/path` in the value of a secret. */
export function resolveSecretFiles(
  value: unknown,
  readFile: ReadFile,
  refuse: (reference: string) => void,
): unknown {
  if (typeof value === 'string')
    return value.startsWith(referencePrefix) ? contentOf(value, readFile, refuse) : value
  if (Array.isArray(value)) return value.map((inner) => resolveSecretFiles(inner, readFile, refuse))
  if (typeof value !== 'object' || value === null) return value
  const resolved = Object.entries(value).map(([key, inner]) => [
    key,
    resolveSecretFiles(inner, readFile, refuse),
  ])
  return Object.fromEntries(resolved)
}

function contentOf(
  reference: string,
  readFile: ReadFile,
  refuse: (reference: string) => void,
): string | undefined {
  try {
    const content = readFile(reference.slice(referencePrefix.length))
    if (content !== undefined) return content.trim()
  } catch {
    // Said below: for the reader, "cannot be read" and "is not there" need the same act.
  }
  refuse(reference)
  return undefined
}
