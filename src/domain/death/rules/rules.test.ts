import { describe, expect, it } from 'vitest'
import { classifyDeath } from '../classify.ts'
import { deathClasses } from '../record.ts'
import { type Facts, factsOf } from './cases/case.ts'
import { ruleCases as cases } from './cases/index.ts'
import { deathRules, nothingFits } from './index.ts'

const judge = (facts: Facts) => {
  const { ending, ...known } = factsOf(facts)
  return classifyDeath(ending, known)
}
const ruleOf = (name: string) => deathRules.find((candidate) => candidate.name === name)

describe('the rules of deaths', () => {
  it.each(cases)('"$rule" gives $class, $confidence', ({ rule, fires, confidence, ...expected }) => {
    expect(judge(fires)).toMatchObject({ rule, class: expected.class, confidence })
  })

  it.each(cases)('"$rule" does not fire without its fact', ({ rule, not, otherwise }) => {
    expect(ruleOf(rule)?.fires(factsOf(not))).toBeNull()
    expect(judge(not).class).toBe(otherwise)
  })

  it.each(cases)(
    '"$rule" fires by itself, and gives only what it says that it gives',
    ({ rule, fires, not }) => {
      const found = deathRules.find(({ name }) => name === rule)
      expect(found?.gives).toContain(found?.fires(factsOf(fires))?.class)
      for (const facts of [fires, not].map(factsOf)) {
        for (const each of deathRules) {
          const finding = each.fires(facts)
          if (finding !== null) expect(each.gives, each.name).toContain(finding.class)
        }
      }
    },
  )

  it('each have a pair of cases here', () => {
    expect(cases.map(({ rule }) => rule).sort()).toEqual(deathRules.map(({ name }) => name).sort())
    expect(new Set(deathRules.map(({ name }) => name)).size).toBe(deathRules.length)
  })

  it('give every class, and no other', () => {
    const given = new Set([...deathRules, nothingFits].flatMap(({ gives }) => gives))
    // Nothing of the end itself can be read on a lost host: recovery's rule of that name gives the class.
    expect([...given, 'host-lost'].sort()).toEqual([...deathClasses].sort())
  })

  it('say for each class what to do, unless nothing has to be done', () => {
    const expected = new Set(['clean', 'terminated'])
    for (const { name, gives, nextSteps } of deathRules) {
      if (!gives.every((each) => expected.has(each))) expect(nextSteps.length, name).toBeGreaterThan(0)
    }
  })

  it('always give grounds', () => {
    for (const { fires, not } of cases) {
      expect(judge(fires).because.length).toBeGreaterThan(0)
      expect(judge(not).because.length).toBeGreaterThan(0)
    }
  })
})
