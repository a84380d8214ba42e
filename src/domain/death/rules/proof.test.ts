import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../classify.ts'
import { aPodEnd } from '../testing.ts'
import { proven } from '../verdict.ts'
import { type Facts, factsOf } from './cases/case.ts'
import { ruleCases } from './cases/index.ts'
import { deathRules } from './index.ts'
import { rule } from './rule.ts'

const judge = (facts: Facts) => {
  const { ending, ...known } = factsOf(facts)
  return classifyDeath(ending, known)
}
const mayProve = deathRules.filter(({ proof }) => proof !== undefined)
const caseOf = (name: string) => ruleCases.find((each) => each.rule === name)
const claim = {
  gives: ['failed'],
  name: 'a claim',
  means: '',
  needs: '',
  mustNotConclude: '',
  nextSteps: [],
  fires: () => proven('failed', 'It is said.'),
} as const
const argued = { ...claim, proof: { rests: 'cluster', argument: 'why' } } as const

describe('a rule that may say proven', () => {
  it.each(mayProve.map(({ name }) => name))(
    '"%s" has an argument, a case in which it proves, and an impostor',
    (name) => {
      const found = caseOf(name)
      const { proof } = deathRules.find((each) => each.name === name) ?? {}
      expect(proof?.argument.length, 'its argument').toBeGreaterThan(80)
      expect(found?.confidence).toBe('proven')
      expect(found?.impostor, 'its impostor').toBeDefined()
    },
  )

  it.each(
    ruleCases.flatMap(({ rule: name, impostor }) => (impostor === undefined ? [] : [{ name, ...impostor }])),
  )('"$name" is not deceived: $how', ({ facts, class: expected }) => {
    const record = judge(facts)
    expect(record.class).toBe(expected)
    expect(record.confidence).not.toBe('proven')
  })

  it('cannot say so without an argument', () => {
    const facts = factsOf({ ending: { pod: aPodEnd() } })
    expect(rule(claim).fires(facts)?.confidence).toBe('likely')
    expect(rule(argued).fires(facts)?.confidence).toBe('proven')
  })

  it('proves nothing about a local runner by files that its job can write, only by the forge', () => {
    const facts = factsOf({ ending: {} })
    expect(rule(argued).fires(facts)).toMatchObject({ confidence: 'likely' })
    expect(rule(argued).fires(facts)?.unknown?.join()).toContain('its job can write')
    const byForge = { ...argued, proof: { ...argued.proof, rests: 'forge' } } as const
    expect(rule(byForge).fires(facts)?.confidence).toBe('proven')
    for (const { rule: name, fires } of ruleCases) {
      if (fires.ending === null || deathRules.find((each) => each.name === name)?.proof?.rests === 'forge')
        continue
      expect(judge({ ...fires, ending: { ...fires.ending, pod: null } }).confidence, name).not.toBe('proven')
    }
  })
})
