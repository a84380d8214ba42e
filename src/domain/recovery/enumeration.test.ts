import { describe, expect, it } from 'vitest'
import { type Combination, combinations } from '../../../test/support/recovery-combinations.ts'
import { now } from '../../../test/support/rows.ts'
import type { Action } from './action.ts'
import { type Decision, decide, leaveReasons, rules, unforeseen } from './index.ts'
import type { Rule } from './rule.ts'
import type { FactName } from './view.ts'

/** Actions that end, stop, remove or give up something. */
const destructive: readonly Action['kind'][] = [
  'remove-registration',
  'end-attempt',
  'requeue-job',
  'close-job',
  'fence',
  'cancel-run',
  'stop-runner',
  'seal-vanished',
  'seal-lost',
  'abandon',
]
const factNames = ['hosted', 'forgeJob', 'forgeRunner'] as const satisfies readonly FactName[]

const decided = [...combinations()].map((each) => ({ ...each, decision: decide(each.view, now) }))
const named = (each: Combination): string =>
  `${each.situation} | host ${each.hosted} | forge's job ${each.forgeJob} | forge's runner ${each.forgeRunner}`
const destroys = (decision: Decision): boolean =>
  decision.kind === 'act' && decision.actions.some(({ kind }) => destructive.includes(kind))

describe('every combination of ledger, host and forge', () => {
  it('is decided by a rule, or left alone for a reason that has a name', () => {
    const without = decided.filter(
      ({ decision }) => decision.kind === 'leave' && decision.reason === unforeseen,
    )
    expect(without.map(named).slice(0, 10)).toEqual([])
    expect(decided.length).toBeGreaterThan(20_000)
  })

  it('reaches every rule and every reason', () => {
    const acted = new Set(decided.map(({ decision }) => (decision.kind === 'act' ? decision.rule : null)))
    const left = new Set(decided.map(({ decision }) => (decision.kind === 'leave' ? decision.reason : null)))
    expect(rules.map(({ name }) => name).filter((name) => !acted.has(name))).toEqual([])
    expect(leaveReasons.map(({ name }) => name).filter((name) => !left.has(name))).toEqual([])
  })

  it('leads to a destructive act only where each fact is fresh, or the rule says why it does without it', () => {
    const blind = decided.flatMap((each) => {
      const { decision, view } = each
      if (decision.kind !== 'act' || !destroys(decision)) return []
      const rule = rules.find(({ name }) => name === decision.rule) as Rule
      return factNames
        .filter((name) => {
          const fact = view.facts[name]
          const isFresh = fact.known && now - fact.readAt <= (rule.needs[name] ?? 30_000)
          return !isFresh && rule.without[name] === undefined
        })
        .map((name) => `${rule.name} without ${name}: ${named(each)}`)
    })
    expect(blind.slice(0, 10)).toEqual([])
  })

  it('names no fact that a rule does without although it asks for it', () => {
    for (const { name, needs, without } of rules) {
      expect({ name, both: Object.keys(without).filter((fact) => fact in needs) }).toEqual({ name, both: [] })
    }
  })
})
