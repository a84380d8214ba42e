import type { Instant } from '../time.ts'
import { entryAt, type TimelineEntry, type TimelineSource } from './entry.ts'

/** An object that controllers make and remove, with the pods of it that failed. */
interface MadeObject {
  readonly kind: string
  readonly name: string
  readonly createdAt: Instant | null
  readonly deletedAt: Instant | null
  readonly failures?: readonly { readonly podUid: string; readonly at: Instant | null }[]
}

/** The life of an object such as an EphemeralRunner. */
export function objectEntries(
  { kind, name, createdAt, deletedAt, failures = [] }: MadeObject,
  source: TimelineSource = 'cluster',
): TimelineEntry[] {
  return [
    ...entryAt(createdAt, source, `${kind} ${name} was made.`),
    ...failures.flatMap(({ podUid, at }) => entryAt(at, source, failedPodText(kind, name, podUid))),
    ...entryAt(deletedAt, source, `Somebody asked that ${kind} ${name} goes.`),
  ]
}

export function failedPodText(kind: string, name: string, podUid: string): string {
  return `${kind} ${name}: its pod ${podUid} failed.`
}
