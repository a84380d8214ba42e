import type { Instant } from '../time.ts'
import type { Action } from './action.ts'
import type { FactName, ForgeJobStatus, ForgeRunnerStatus, HostedStatus, Subject } from './view.ts'

/** The facts that a rule asked for, fresh enough; the others are undefined. */
export interface Asked {
  readonly now: Instant
  readonly hosted: HostedStatus | undefined
  readonly forgeJob: ForgeJobStatus | undefined
  readonly forgeRunner: ForgeRunnerStatus | undefined
}

/** A row of the decision table: whom it concerns, what it must know and how fresh, when it holds, what it does. */
export interface Rule<Kind extends Subject['kind'] = Subject['kind']> {
  readonly name: string
  readonly why: string
  readonly on: Kind
  /**
   * Subjects that no other rule is asked about: attempts of an installation that is not served, whose forge cannot be
   * asked, and runners of a lost host, which cannot be asked.
   */
  readonly apart?: 'foreign' | 'lost-host'
  /** The condition on the ledger alone, before host or forge is asked. */
  readonly concerns: (subject: Extract<Subject, { kind: Kind }>, now: Instant) => boolean
  /** How long nothing is asked yet, because the answers would be older than what they are asked about. */
  readonly waitMs?: (subject: Extract<Subject, { kind: Kind }>, now: Instant) => number
  /** The condition on the host, before the forge is asked; it costs no call. */
  readonly hosted?: {
    readonly atMostMsOld: number
    readonly holds: (hosted: HostedStatus, now: Instant) => boolean
  }
  /** Greatest age of each fact in milliseconds. */
  readonly needs: Readonly<Partial<Record<FactName, number>>>
  /** Why it may end or stop something without the facts that it does not ask for. */
  readonly without: Readonly<Partial<Record<FactName, string>>>
  /** The actions, or null where the facts say that the rule does not hold after all. */
  readonly act: (subject: Extract<Subject, { kind: Kind }>, asked: Asked) => readonly Action[] | null
}

export function rule<Kind extends Subject['kind']>(row: Rule<Kind>): Rule<Kind> {
  return row
}
