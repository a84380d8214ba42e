import type { FactSource } from '../snapshot/index.ts'
import type { Instant } from '../time.ts'

export const severities = ['critical', 'warning', 'notice'] as const
export type Severity = (typeof severities)[number]

/** `proven`: the facts leave no other reading. `likely`: they fit, and another reading is left. */
export type Confidence = 'proven' | 'likely'

export interface FindingSubject {
  /** `scale-set`, `runner`, `listener`, `pod`, `node`, `secret`, `label`, `job`, `namespace`, `credential`, `machine`, … */
  readonly kind: string
  /** Null for kinds without namespaces. */
  readonly namespace: string | null
  readonly name: string
}

export interface FindingEvidence {
  readonly source: FactSource
  readonly at: Instant | null
  readonly text: string
}

/** The one thing that may be done next. `change` acts on the fleet: a command that plans first, or a person. */
export interface NextAction {
  readonly kind: 'read' | 'change' | 'person'
  readonly text: string
  /** A command that can be typed as it stands, and changes nothing by itself; null where there is none. */
  readonly command: string | null
  /** Set where the action adds capacity: `runAudits` lets it through only where no other finding stands against that. */
  readonly raises?: 'maximum' | 'room'
}

export interface Finding {
  readonly class: string
  readonly severity: Severity
  readonly subject: FindingSubject
  readonly confidence: Confidence
  /** One sentence. */
  readonly summary: string
  readonly evidence: readonly FindingEvidence[]
  readonly mustNotConclude: readonly string[]
  readonly nextAllowedAction: NextAction
}

/** A class that could not be judged, because a fact that it rests on is unknown. */
export interface Unjudged {
  readonly class: string
  readonly why: string
  /** How to get the fact; null where nothing is known to help. */
  readonly needs: string | null
  /** The scale sets that it is about, `namespace/name`; absent: it may be about any. */
  readonly sets?: readonly string[]
}

/** Figures that an audit shows next to its findings. */
export interface AuditTable {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Judgement {
  readonly findings: readonly Finding[]
  readonly unjudged: readonly Unjudged[]
  readonly tables: readonly AuditTable[]
}
