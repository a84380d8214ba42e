import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Snapshot } from '../snapshot/index.ts'
import { audits } from './registry.ts'
import { runAudits } from './run.ts'
import { wholeScope } from './scope.ts'
import { type FleetSize, healthyFleet } from './testing/healthy-fleet.ts'
import { judged } from './testing/judge.ts'

const sizes = fc.record({
  sets: fc.integer({ min: 1, max: 20 }),
  runnersPerSet: fc.integer({ min: 1, max: 30 }),
  nodes: fc.integer({ min: 1, max: 40 }),
})

describe('a healthy fleet of any size', () => {
  it('has no finding, and nothing that could not be judged', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const { findings, unjudged, failures } = run(healthyFleet(size))
        expect(findings.map(({ class: name, summary }) => `${name}: ${summary}`)).toEqual([])
        // Without a contract, or a config.toml, there is nothing to compare with.
        const open = unjudged.filter(({ needs }) => !/--contract|--file/.test(needs ?? ''))
        expect({ open, failures }).toEqual({ open: [], failures: [] })
      }),
      { numRuns: 60 },
    )
  })

  it('is not healthy where one runner of hundreds is evicted', () => {
    const fleet = healthyFleet({ sets: 10, runnersPerSet: 30, nodes: 20 })
    const [first, ...others] = fleet.cluster.pods.items
    const message = 'The node was low on resource: memory.'
    const evicted = first === undefined ? [] : [{ ...first, phase: 'Failed', reason: 'Evicted', message }]
    const pods = { ...fleet.cluster.pods, items: [...evicted, ...others] }
    expect(run({ ...fleet, cluster: { ...fleet.cluster, pods } }).findings).not.toEqual([])
  })
})

describe('the work of an audit', () => {
  it.each(audits.map(({ name }) => name))('%s grows no faster than the fleet', (name) => {
    const small = factsRead(name, { sets: 10, runnersPerSet: 20, nodes: 20 })
    const large = factsRead(name, { sets: 40, runnersPerSet: 20, nodes: 80 })
    // Four times the fleet: a tenth more is for lists that are looked at twice, and no square hides in it.
    expect(large / small).toBeLessThan(4.4)
  })
})

function run(snapshot: Snapshot) {
  return runAudits({ audits, snapshot, earlier: null, contract: null, narrowed: wholeScope })
}

/** How often an audit reads a fact: the same on every machine, however busy it is. */
function factsRead(name: string, size: FleetSize): number {
  const audit = audits.find((each) => each.name === name)
  let reads = 0
  const counted = new WeakMap<object, object>()
  const counting = <T>(value: T): T => {
    if (typeof value !== 'object' || value === null) return value
    const known = counted.get(value) ?? new Proxy(value, { get: (of, key) => read(of, key) })
    counted.set(value, known)
    return known as T
  }
  const read = (of: object, key: string | symbol): unknown => {
    reads += 1
    const value: unknown = Reflect.get(of, key)
    return typeof value === 'function' ? value : counting(value)
  }
  const snapshot = counting(healthyFleet(size))
  if (audit !== undefined) judged(audit, snapshot)
  return reads
}
