import type { HostSample } from '../../domain/death/index.ts'
import type { Instant } from '../../domain/time.ts'
import { sampleFields, sampleFrom } from './fields.ts'

/** The newest samples, each second; what falls out of these is thinned out. */
const FINE_MAX = 60
/** Ten minutes before these, one each ten seconds: a job's starving shows in minutes. */
const COARSE_MAX = 60
const COARSE_EVERY_MS = 10_000
export const ringSamplesMax = FINE_MAX + COARSE_MAX
/** Two minutes in outline, one each ten seconds: enough to see a pod starve, or fill its memory. */
const OUTLINE_MAX = 12
const OUTLINE_EVERY_MS = 10_000

/** The samples of one pod, in 16 KB however long it lives. */
export interface Ring {
  add(sample: HostSample): void
  /** Oldest first. */
  samples(): HostSample[]
  /** The newest, and few before it. */
  outline(): HostSample[]
  readonly lastAt: Instant | null
}

export function createRing(): Ring {
  const fine = createRows(FINE_MAX)
  const coarse = createRows(COARSE_MAX)
  let coarseAt = Number.NEGATIVE_INFINITY
  let lastAt: Instant | null = null
  return {
    add(sample) {
      const oldestAt = fine.oldestAtWhenFull()
      if (oldestAt !== null && oldestAt >= coarseAt + COARSE_EVERY_MS) {
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
        for (let index = rows.count() - 1; index >= 0 && picked.length < OUTLINE_MAX; index -= 1) {
          const at = rows.at(index)
          if (at > before - OUTLINE_EVERY_MS) continue
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
