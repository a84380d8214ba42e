import type { HostSample } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'
import { sampleFields, sampleFrom } from './fields.ts'

/** The newest samples, one each second; older ones are thinned out. */
const fineMax = 60
/** The ten minutes before these, one each ten seconds: starvation of a job shows in minutes. */
const coarseMax = 60
const coarseEveryMs = 10_000
/** Two minutes in outline, one each ten seconds: enough to see a pod starve, or fill its memory. */
const outlineMax = 12
const outlineEveryMs = 10_000

/** The samples of one pod, in 16 KB however long it lives. */
export interface Ring {
  add(sample: HostSample): void
  /** Oldest first. */
  samples(): HostSample[]
  /** The newest sample, and few before it. */
  outline(): HostSample[]
  readonly lastAt: Instant | null
}

export function createRing(): Ring {
  const fine = createRows(fineMax)
  const coarse = createRows(coarseMax)
  let coarseAt = Number.NEGATIVE_INFINITY
  let lastAt: Instant | null = null
  return {
    add(sample) {
      const oldestAt = fine.oldestAtWhenFull()
      if (oldestAt !== null && oldestAt >= coarseAt + coarseEveryMs) {
        coarse.add(fine.oldest())
        coarseAt = oldestAt
      }
      fine.add(sample)
      lastAt = sample.at
    },
    samples: () => [...coarse.all(), ...fine.all()],
    outline() {
      const picked: HostSample[] = []
      let before = Number.POSITIVE_INFINITY
      for (const rows of [fine, coarse]) {
        for (let index = rows.count() - 1; index >= 0 && picked.length < outlineMax; index -= 1) {
          const at = rows.at(index)
          if (at > before - outlineEveryMs) continue
          picked.push(rows.row(index))
          before = at
        }
      }
      return picked.reverse()
    },
    get lastAt() {
      return lastAt
    },
  }
}

/** Rows of numbers in a circle; NaN stands for null. */
function createRows(rowsMax: number) {
  const width = sampleFields.length
  const values = new Float64Array(rowsMax * width)
  let first = 0
  let count = 0
  const row = (index: number): HostSample => {
    const at = ((first + index) % rowsMax) * width
    return sampleFrom(values[at] as Instant, (column) => orNull(values[at + column]))
  }
  return {
    add(sample: HostSample): void {
      if (count === rowsMax) first = (first + 1) % rowsMax
      else count += 1
      const at = ((first + count - 1) % rowsMax) * width
      for (let column = 0; column < width; column += 1) {
        values[at + column] = sample[sampleFields[column] as keyof HostSample] ?? Number.NaN
      }
    },
    oldestAtWhenFull: (): Instant | null => (count === rowsMax ? (values[first * width] as number) : null),
    oldest: (): HostSample => row(0),
    count: (): number => count,
    at: (index: number): Instant => values[((first + index) % rowsMax) * width] as Instant,
    row,
    all: (): HostSample[] => Array.from({ length: count }, (_, index) => row(index)),
  }
}

function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value
}
