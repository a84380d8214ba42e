import fc from 'fast-check'
import type { Packing, PackingItem } from './index.ts'

const small = fc.integer({ min: 0, max: 6 })
const resources = 2

function itemOf(binCount: number): fc.Arbitrary<PackingItem> {
  return fc.record({
    size: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: resources, maxLength: resources }),
    count: fc.integer({ min: 0, max: 3 }),
    bins: fc.subarray(Array.from({ length: binCount }, (_, bin) => bin)),
    shares: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 1 }),
  })
}

/** Packings small enough for every placement to be tried. */
export const packings: fc.Arbitrary<Packing> = fc.integer({ min: 1, max: 3 }).chain((binCount) =>
  fc.record({
    bins: fc.array(fc.array(small, { minLength: resources, maxLength: resources }), {
      minLength: binCount,
      maxLength: binCount,
    }),
    shared: fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 1 }),
    required: fc.array(itemOf(binCount), { maxLength: 2 }),
    wanted: fc.array(itemOf(binCount), { minLength: 1, maxLength: 2 }),
  }),
)

/** Tries every placement, one pod after the other. */
export function bruteForce({ bins, shared, required, wanted }: Packing): {
  required: number
  wanted: number
} {
  const pods = [
    ...required.map((item) => ({ item, kind: 'required' as const })),
    ...wanted.map((item) => ({ item, kind: 'wanted' as const })),
  ].flatMap(({ item, kind }) => Array.from({ length: item.count }, () => ({ item, kind })))
  const free = bins.map((bin) => [...bin])
  const left = [...shared]
  let best = { required: 0, wanted: 0 }
  const go = (at: number, placed: { required: number; wanted: number }): void => {
    if (placed.required > best.required || (placed.required === best.required && placed.wanted > best.wanted))
      best = placed
    const pod = pods[at]
    if (pod === undefined) return
    go(at + 1, placed)
    for (const bin of pod.item.bins) {
      const room = free[bin] as number[]
      const fits = pod.item.size.every((need, r) => need === 0 || (room[r] as number) >= need)
      if (!fits || pod.item.shares.some((need, s) => need > 0 && (left[s] as number) < need)) continue
      pod.item.size.forEach((need, r) => {
        room[r] = (room[r] as number) - need
      })
      pod.item.shares.forEach((need, s) => {
        left[s] = (left[s] as number) - need
      })
      go(at + 1, { ...placed, [pod.kind]: placed[pod.kind] + 1 })
      pod.item.size.forEach((need, r) => {
        room[r] = (room[r] as number) + need
      })
      pod.item.shares.forEach((need, s) => {
        left[s] = (left[s] as number) + need
      })
    }
  }
  go(0, best)
  return best
}
