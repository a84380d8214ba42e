/** What the API may give where an object is expected. */
export type Fields = Readonly<Record<string, unknown>>

/** The objects of a list; none where it is none. */
export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

/** The fields of an object; none where it is none. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : {}
}

/** Whether it is an object with fields. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether something was counted. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}

/** Text that says something. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
