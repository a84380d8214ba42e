import type { DiskState } from '../../../domain/disk/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { DiskHeadroom } from '../../../ports/disk.ts'

/** The result of the latest check of the disk, kept for the life of a process. */
export interface DiskHeadroomBoard extends DiskHeadroom {
  note(state: DiskState, words: string): void
  /** The ledger's server reported that its disk is full: assumed to hold until then. */
  noteRefused(words: string, until: Instant): void
  /** Why nothing can be stored now; null: there is room. */
  why(): string | null
}

export function createDiskHeadroom(clock: Pick<Clock, 'now'>): DiskHeadroomBoard {
  let full: string | null = null
  let refused = { words: '', until: 0 }
  return {
    note(state, words) {
      full = state === 'full' ? words : null
    },
    noteRefused(words, until) {
      refused = { words, until }
    },
    why: () => full ?? (clock.now() < refused.until ? refused.words : null),
    // A full server refuses writes itself, and accepts them again sooner than we would know.
    check() {
      if (full !== null) throw new HoldfastError('E_LEDGER_DISK_FULL', { where: full, lines: [] })
    },
  }
}
