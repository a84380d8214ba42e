import { isRecord } from '../../../domain/is-record.ts'

/** The fields of an object of the API, not yet parsed. */
export type Fields = Readonly<Record<string, unknown>>

/** The objects of a list; none where it is none. */
export function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

/** The fields of an object; none where it is none. */
export function fields(value: unknown): Fields {
  return isRecord(value) ? value : {}
}

/** Whether something was counted. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value > 0
}

/** Text that says something. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
