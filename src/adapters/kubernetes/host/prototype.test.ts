import { describe, expect, it } from 'vitest'
import { templateOf } from '../pods/index.ts'
import { buildPod } from '../pods/testing/build-pod.ts'
import { hostile } from '../pods/testing/templates.ts'
import { createPrototypes, toleratesAll } from './prototype.ts'
import { aPlan, aSite } from './testing/plan.ts'

describe('the prototype of the pods of a plan', () => {
  it('makes the same pod as one that is built from scratch, for each runner, pool and set of nodes', () => {
    const template = { spec: { nodeSelector: { disk: 'fast' }, containers: [{ name: 'runner', tty: true }] } }
    const prototypeOf = createPrototypes(aSite)
    for (const plan of [
      aPlan(),
      aPlan({ shape: 'single' }),
      aPlan({ template }),
      aPlan({ dind: { image: 'd' } }),
    ]) {
      for (const avoidNodes of [[], ['node-1', 'node-2']]) {
        for (const runner of ['linux-00000001', 'linux-00000002']) {
          const made = prototypeOf(plan).pod(runner, 'linux', avoidNodes)
          expect(made).toEqual(buildPod({ runner, pool: 'linux', plan, site: aSite, avoidNodes }))
        }
      }
      expect(prototypeOf(plan).template).toBe(templateOf(plan, aSite))
    }
  })

  it('has a template and problems, and asks for nothing, whatever is wrong with its plan', () => {
    const prototypeOf = createPrototypes(aSite)
    for (const spec of hostile) {
      const prototype = prototypeOf(aPlan({ template: { spec } }))
      expect(prototype).toMatchObject({ template: expect.stringMatching(/^[0-9a-f]{12}$/), requests: {} })
      expect(prototype.problems.length).toBeGreaterThan(0)
    }
    expect(prototypeOf(aPlan()).problems).toEqual([])
  })

  it('from which no pod can be built is reported when a pod is requested, not before', () => {
    const prototype = createPrototypes(aSite)(aPlan({ template: { spec: { restartPolicy: 'Always' } } }))
    expect(prototype).toMatchObject({ template: expect.any(String), requests: {} })
    expect(() => prototype.pod('linux-00000001', 'linux', [])).toThrow(/restartPolicy/)
  })

  const gpu = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
  const tolerated: readonly [title: string, tolerations: object[], is: boolean][] = [
    ['none', [], false],
    ['the same', [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }], true],
    ['any value', [{ key: 'gpu', operator: 'Exists' }], true],
    ['everything', [{ operator: 'Exists' }], true],
    ['another value', [{ key: 'gpu', value: 'no' }], false],
    ['another effect', [{ key: 'gpu', value: 'yes', effect: 'NoExecute' }], false],
    ['another key', [{ key: 'disk', operator: 'Exists' }], false],
  ]
  it.each(tolerated)('bears a taint with a toleration of %s', (_, tolerations, is) => {
    expect(toleratesAll({ tolerations }, [gpu])).toBe(is)
    expect(toleratesAll({ tolerations }, [{ ...gpu, effect: 'PreferNoSchedule' }])).toBe(true)
  })
})
