import { instant } from '../../connection/index.ts'

/** Postgres holds neither NUL nor half a surrogate pair; a log tail or a job's name may have them. */
export function text(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\uFFFD')
}

export function textOrNull(value: string | null): string | null {
  return value === null ? null : text(value)
}

/** A value for a jsonb column. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'string' ? text(inner) : inner))
}

/** A time for a timestamptz column that may be empty. */
export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instant(at)
}

/** A duration for an interval column. */
export function milliseconds(durationMs: number): string {
  return `${durationMs} milliseconds`
}
