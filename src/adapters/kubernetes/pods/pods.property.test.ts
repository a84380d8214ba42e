import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { podShapes } from '../../../domain/pool/index.ts'
import { preparePods, problemsOf, templateOf } from './index.ts'
import { anOrder, aPlan, site } from './testing/plans.ts'
import { promisesBroken } from './testing/promises.ts'
import { harmless, joined, templates } from './testing/templates.ts'

const plans = fc
  .record({
    shape: fc.constantFrom(...podShapes),
    dind: fc.constantFrom(null, { image: 'docker:dind' }),
    command: fc.constantFrom(null, ['run.sh', 'now']),
    runtimeClass: fc.constantFrom(null, 'kata'),
    template: templates,
  })
  .map(aPlan)
const nodes = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 })

describe('any plan', () => {
  it('has problems, or makes a pod that keeps every promise', () => {
    let kept = 0
    fc.assert(
      fc.property(plans, nodes, (plan, avoidNodes) => {
        const order = anOrder({ plan, avoidNodes })
        const { problems, build } = preparePods(order)
        if (problems.length > 0) {
          expect(() => build(order.runner, avoidNodes)).toThrow(/refused plan/)
          for (const problem of problems) expect(problem).toMatch(/^template.*: .*expected .*\. .+\.$/s)
          return
        }
        kept += 1
        const pod = JSON.parse(JSON.stringify(build(order.runner, avoidNodes)))
        expect(promisesBroken(pod, { ...order, image: plan.image })).toEqual([])
        expect(JSON.stringify(pod)).not.toContain('$patch')
      }),
      { numRuns: 2_000 },
    )
    expect(kept).toBeGreaterThan(200)
  })

  it('has none where its template is made of what people may say', () => {
    const some = fc.subarray([...harmless], { maxLength: 5 })
    fc.assert(
      fc.property(some, (parts) => {
        expect(problemsOf(aPlan({ template: { spec: joined(parts) } }))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('has the same hash whatever the order in which it was written, and for every name', () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const turned = { ...plan, template: reversed(plan.template) as typeof plan.template }
        expect(templateOf(turned, site)).toBe(templateOf(plan, site))
      }),
      { numRuns: 500 },
    )
  })
})

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  )
}
