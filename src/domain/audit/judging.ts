import type { Listing, ObjectRef, Snapshot } from '../snapshot/index.ts'
import { isWhole } from '../snapshot/index.ts'
import type { Instant } from '../time.ts'
import type { FindingClass } from './audit.ts'
import type { Finding, FindingEvidence, FindingSubject, Judgement, Unjudged } from './finding.ts'

/** The judgement of a part of an audit. */
export type Judged = Omit<Judgement, 'tables'>

/** A finding of a class, with the class's own limits on conclusions. */
export function findingOf(
  { name, mustNotConclude }: FindingClass,
  given: Omit<Finding, 'class' | 'mustNotConclude'>,
): Finding {
  return { class: name, mustNotConclude, ...given }
}

export function subjectOf(kind: string, { namespace, name }: ObjectRef): FindingSubject {
  return { kind, namespace: namespace === '' ? null : namespace, name }
}

/** A fact as evidence: where it was read, and when, unless the fact has a time of its own. */
export function evidenceOf(
  listing: Listing<unknown>,
  text: string,
  at: Instant | null = listing.at,
): FindingEvidence {
  return { source: listing.source, at, text }
}

/** Classes that a list which was not read whole leaves open; nothing where it was. */
export function unjudgedBy(classes: readonly FindingClass[], listing: Listing<unknown>): readonly Unjudged[] {
  return classes.flatMap(({ name }) =>
    listing.unread.map(({ what, why, needs }) => ({ class: name, why: `${what}: ${why}`, needs })),
  )
}

/** Whether an object that is not listed in this namespace is really absent there. */
export function isAbsenceKnown(listing: Listing<unknown>, { scope }: Snapshot, namespace: string): boolean {
  return isWhole(listing) && (scope.namespaces === null || scope.namespaces.includes(namespace))
}

/** Classes that rest on the absence of an object which may be there and was not read. */
export function unjudgedAbsence(
  classes: readonly FindingClass[],
  listing: Listing<unknown>,
  namespace: string,
): readonly Unjudged[] {
  if (!isWhole(listing)) return unjudgedBy(classes, listing)
  const why = `the namespace ${namespace} was left out of the snapshot`
  return classes.map(({ name }) => ({ class: name, why, needs: `a snapshot with --namespace ${namespace}` }))
}

/** The first few of a list, and how many more there are. */
export function someOf(items: readonly string[], shownMax = 5): string {
  const more = items.length - shownMax
  return more > 0 ? `${items.slice(0, shownMax).join(', ')} and ${more} more` : items.join(', ')
}

/** A command that is typed as it stands; null where a name could mean something else to a shell: snapshots come from anywhere. */
export function commandWith(command: string, ...names: readonly string[]): string | null {
  const arePlain = names.every((name) => /^[A-Za-z0-9][\w.:/@+-]*$/.test(name))
  return arePlain ? [command, ...names].join(' ') : null
}

const hashCharsShown = 8

/** Enough of a hash to compare two by eye. */
export function shortHash(hash: string): string {
  return hash.slice(0, hashCharsShown)
}

/** A time of day with its date, in UTC. */
export function clockText(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
