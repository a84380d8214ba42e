/** Replaces a withheld log, which would otherwise look empty. */
const withheldText = "(needs the operator's token: holdfast explain shows it)"

/** The file without log tails: jobs write what they want, and other users of the machine should not read it. */
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
  return value === '' ? '' : withheldText
}
