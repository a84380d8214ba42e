import { describe, expect, it } from 'vitest'
import { type BoundedAct, boundedKinds, boundReached, recoveryBounds, scaledBounds } from './index.ts'

const onNode = (kind: BoundedAct['kind'], node: string | null = null): BoundedAct => ({
  kind,
  runnerId: 1,
  node,
})
const settled = { underWay: 0, underWayOnNode: 0 }
/** How many of a fleet may be done to within an hour. */
function allowedOf(kind: BoundedAct['kind'], fleet: number, bounds = recoveryBounds): number {
  let done = 0
  while (
    boundReached(onNode(kind), bounds, { fleet, done, doneOnNode: 0, ...settled }) === null &&
    done < fleet
  )
    done += 1
  return done
}

describe('the bounds per hour', () => {
  it.each(boundedKinds)('do not hinder a fleet of four: %s', (kind) => {
    expect(allowedOf(kind, 4)).toBe(4)
  })

  it.each(boundedKinds)('leave half of a fleet of ten thousand or more alone: %s', (kind) => {
    const allowed = allowedOf(kind, 10_000)
    expect(allowed).toBeGreaterThanOrEqual(2_500)
    expect(allowed).toBeLessThanOrEqual(5_000)
  })

  it('allow the loss of a node with 110 pods, idle or at work, wherever its fleet is', () => {
    for (const kind of ['fence', 'give-up'] as const) {
      expect(allowedOf(kind, 110)).toBe(110)
      const act = onNode(kind, 'n1')
      expect(
        boundReached(act, recoveryBounds, { fleet: 110, done: 109, doneOnNode: 109, ...settled }),
      ).toBeNull()
    }
  })

  it('are reached on one node before they are in a large fleet', () => {
    const act = onNode('stop-started', 'n1')
    expect(
      boundReached(act, recoveryBounds, { fleet: 10_000, done: 60, doneOnNode: 60, ...settled }),
    ).toMatchObject({
      scope: 'node',
      allowed: 60,
    })
    expect(
      boundReached(act, recoveryBounds, { fleet: 10_000, done: 60, doneOnNode: 59, ...settled }),
    ).toBeNull()
  })

  it('are passing while what is counted may still be refused, and not once enough of it is done', () => {
    const tally = { fleet: 40, done: 31, doneOnNode: 0, underWayOnNode: 0 }
    const act = onNode('stop-started')
    expect(boundReached(act, recoveryBounds, { ...tally, underWay: 2 })).toMatchObject({ isPassing: true })
    expect(boundReached(act, recoveryBounds, { ...tally, underWay: 1 })).toMatchObject({ isPassing: false })
  })

  it('are never reached on a node that nobody knows', () => {
    const tally = { fleet: 10_000, done: 500, doneOnNode: 500, ...settled }
    expect(boundReached(onNode('give-up'), recoveryBounds, tally)).toBeNull()
  })

  it('grow and shrink with the factor; by 0 nothing is allowed', () => {
    expect(allowedOf('give-up', 1_000, scaledBounds(0.5))).toBe(250)
    for (const kind of boundedKinds) expect(allowedOf(kind, 1_000, scaledBounds(0))).toBe(0)
  })
})
