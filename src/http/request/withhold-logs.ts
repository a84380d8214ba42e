/** Stands where a log would, so that nobody takes it for an empty one. */
export const WITHHELD = "(needs the operator's token: holdfast explain shows it)"

/** An answer without the last lines of runners: jobs write what they want, and other users of a machine should not read it. */
export function withholdLogs<T>(answer: T): T {
  return copy(answer) as T
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withheld(key, inner)]))
}

function withheld(key: string, value: unknown): unknown {
  if (key !== 'tail' || typeof value !== 'string') return copy(value)
  return value === '' ? '' : WITHHELD
}
