import type { Instant } from '../time.ts'
import { entryAt, type TimelineEntry } from './entry.ts'

/** The times of a job by the forge's clock. */
export function queuedEntries(at: Instant | null): TimelineEntry[] {
  return entryAt(at, 'forge', 'The job was queued, by the clock of the forge.')
}

export function beganEntries(at: Instant | null, runner: string | null): TimelineEntry[] {
  return entryAt(
    at,
    'forge',
    `The job began${runner === null ? '' : ` on ${runner}`}, by the clock of the forge.`,
  )
}

export function overEntries(at: Instant | null, conclusion: string | null): TimelineEntry[] {
  return entryAt(
    at,
    'forge',
    `The job was over${conclusion === null ? '' : ` (${conclusion})`}, by the clock of the forge.`,
  )
}
