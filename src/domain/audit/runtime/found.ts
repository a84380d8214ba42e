import { times } from '../../format.ts'
import type {
  Confidence,
  Finding,
  FindingEvidence,
  FindingSubject,
  NextAction,
  Severity,
  Unjudged,
} from '../finding.ts'
import { findingOf, someOf } from '../judging.ts'
import type { LogTrace } from './arc-logs.ts'
import { classNamed, type RuntimeClass } from './classes.ts'

/** The result of one rule. */
export interface Ruling {
  readonly findings: readonly Finding[]
  readonly unjudged?: readonly Unjudged[]
}

interface Found {
  readonly class: RuntimeClass
  readonly severity: Severity
  readonly subject: FindingSubject
  readonly confidence: Confidence
  readonly summary: string
  readonly evidence: readonly (FindingEvidence | null)[]
  readonly next: NextAction
}

/** A finding with the texts of its class. Evidence that there is not is left out. */
export function found({ class: name, evidence, next, ...rest }: Found): Finding {
  return findingOf(classNamed(name), {
    ...rest,
    evidence: evidence.filter((each) => each !== null),
    nextAllowedAction: next,
  })
}

export function logged(trace: LogTrace | null): FindingEvidence | null {
  if (trace === null) return null
  return {
    source: 'cluster',
    at: trace.lastAt,
    text: `log, ${times(trace.count)} in its window: ${trace.text}`,
  }
}

export function read(text: string, command: string | null = null): NextAction {
  return { kind: 'read', text, command }
}

export function person(text: string): NextAction {
  return { kind: 'person', text, command: null }
}

/** A person's decision that makes room for more runners. */
export function raising(text: string): NextAction {
  return { ...person(text), raises: 'room' }
}

/** A removal that the facts allow; where no remedy of ours does it, it is a person's. */
export function removable(text: string): NextAction {
  return { kind: 'change', text, command: null }
}

/** A removal that no command does: a person reads the object again right before, and stops at a surprise. */
export function removal(text: string): NextAction {
  return person(
    `${text} One EphemeralRunner at a time: read it and its runner at the forge again, then delete it by its UID.`,
  )
}

/** `a, b and 3 more`, or `none`. */
export function namesOf(objects: readonly { readonly name: string }[]): string {
  return objects.length === 0 ? 'none' : someOf(objects.map(({ name }) => name))
}

export { counted } from '../../format.ts'
