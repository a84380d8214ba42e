import type { Instant } from '../time.ts'
import type { Action } from './action.ts'
import { leaveReasonOf } from './leave.ts'
import type { Asked, Rule } from './rule.ts'
import { rules } from './rules/index.ts'
import type { Fact, FactName, Facts, View } from './view.ts'

export type Decision =
  /** The rule holds: apply its actions, and keep the row. */
  | { readonly kind: 'act'; readonly rule: string; readonly actions: readonly Action[] }
  /** A rule may hold, but what it needs is unknown or too old: read these first. Nothing else may be done. */
  | { readonly kind: 'refresh'; readonly rule: string; readonly facts: readonly FactName[] }
  /** A rule may hold, and it is too early to ask. */
  | { readonly kind: 'wait'; readonly rule: string; readonly inMs: number }
  /** No rule holds, for this reason. */
  | { readonly kind: 'leave'; readonly reason: string }

/**
 * The decision table. Rules are asked in order; the first that holds decides. A rule whose facts are missing
 * or stale asks for them, and a fact that cannot be read never leads to an act.
 */
export function decide(view: View, now: Instant): Decision {
  for (const row of rules as readonly Rule[]) {
    if (row.on !== view.subject.kind || row.apart !== apartOf(view)) continue
    if (!row.concerns(view.subject, now)) continue
    const inMs = row.waitMs?.(view.subject, now) ?? 0
    if (inMs > 0) return { kind: 'wait', rule: row.name, inMs }
    const { hosted } = view.facts
    if (row.hosted !== undefined) {
      if (!hosted.known || now - hosted.readAt > row.hosted.atMostMsOld)
        return { kind: 'refresh', rule: row.name, facts: ['hosted'] }
      if (!row.hosted.holds(hosted.value, now)) continue
    }
    const stale = staleFacts(row, view.facts, now)
    if (stale.length > 0) return { kind: 'refresh', rule: row.name, facts: stale }
    const actions = row.act(view.subject, asked(row, view.facts, now))
    if (actions !== null) return { kind: 'act', rule: row.name, actions }
  }
  return { kind: 'leave', reason: leaveReasonOf(view, now) }
}

function apartOf({ subject }: View): Rule['apart'] {
  if (subject.kind === 'attempt' && subject.isForeign === true) return 'foreign'
  return subject.kind === 'runner' && subject.hostLostSince !== undefined ? 'lost-host' : undefined
}

function staleFacts(row: Rule, facts: Facts, now: Instant): FactName[] {
  return (Object.keys(row.needs) as FactName[]).filter((name) => {
    const fact = facts[name]
    return !fact.known || now - fact.readAt > (row.needs[name] as number)
  })
}

function asked(row: Rule, facts: Facts, now: Instant): Asked {
  const value = <T>(name: FactName, fact: Fact<T>): T | undefined =>
    name in row.needs && fact.known ? fact.value : undefined
  return {
    now,
    hosted: value('hosted', facts.hosted),
    forgeJob: value('forgeJob', facts.forgeJob),
    forgeRunner: value('forgeRunner', facts.forgeRunner),
  }
}
