import type { Instant } from '../../domain/time.ts'

export function iso(at: Instant): string {
  return new Date(at).toISOString()
}

export function isoOrNull(at: Instant | null): string | null {
  return at === null ? null : iso(at)
}
