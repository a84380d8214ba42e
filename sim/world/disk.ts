import { reserveBytes } from '../../src/domain/disk/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { Disk } from '../../src/ports/disk.ts'
import type { Violation } from './checkers.ts'
import type { History } from './history.ts'
import type { State } from './ledger/index.ts'
import type { Random } from './random.ts'
import type { Scheduler } from './scheduler.ts'

const bytesPerMiB = 1024 * 1024
const totalBytes = 4_096 * bytesPerMiB
/** How long a disk has room, and how long it has none, while things go wrong. */
const roomMs = { from: 30_000, to: 8 * 60_000 } as const
const fullMs = { from: 2_000, to: 2 * 60_000 } as const
/** From none at all to more than is needed. */
const leftMib = { from: 0, to: 600 } as const

/** A disk in memory. */
export interface MemoryDisk {
  readonly disk: Disk
  /** Others write or remove until this is free, as far as the reserve lets them. */
  fill(freeBytes: number): void
}

export function createMemoryDisk(total: number): MemoryDisk {
  let others = 0
  let hasReserve = false
  const free = () => total - others - (hasReserve ? reserveBytes : 0)
  return {
    fill(freeBytes) {
      others = Math.max(0, Math.min(total, others + free() - freeBytes))
    },
    disk: {
      folder: '/data',
      space: async () => ({ freeBytes: free(), totalBytes: total, hasReserve }),
      async keepReserve() {
        hasReserve ||= free() >= reserveBytes
        return hasReserve
      },
      async releaseReserve() {
        hasReserve = false
      },
    },
  }
}

/** A disk that others fill and empty again and again, until the wild time is over. */
export interface DiskTwin {
  readonly disk: Disk
  checkRest(): Violation | null
}

export function createDiskTwin(
  around: {
    readonly random: Random
    readonly scheduler: Scheduler
    readonly history: History
    readonly rows: Readonly<State>
  },
  wildUntil: Instant,
): DiskTwin {
  const { random, scheduler, history, rows } = around
  const memory = createMemoryDisk(totalBytes)
  function fillLater(): void {
    scheduler.after(random.between(roomMs.from, roomMs.to), () => {
      if (scheduler.now() >= wildUntil) return
      const freeMib = random.chance(0.5) ? 0 : Math.round(random.between(leftMib.from, leftMib.to))
      history.note('disk', `${freeMib} MiB are left`)
      memory.fill(freeMib * bytesPerMiB)
      scheduler.after(random.between(fullMs.from, fullMs.to), () => {
        history.note('disk', 'has room again')
        memory.fill(totalBytes)
        fillLater()
      })
    })
  }
  if (wildUntil > scheduler.now() && random.chance(0.4)) fillLater()
  return {
    disk: memory.disk,
    checkRest() {
      const left = [...rows.incidents.values()].find(
        ({ kind, closedAt }) => kind.startsWith('disk-') && closedAt === null,
      )
      return left === undefined ? null : { invariant: 'disk', what: `${left.kind} is open on an empty disk` }
    },
  }
}
