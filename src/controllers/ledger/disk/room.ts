import type { DiskState } from '../../../domain/disk/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Instant } from '../../../domain/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Room } from '../../../ports/disk.ts'

/** What the newest look at the disk found, kept for the life of a process. */
export interface RoomBoard extends Room {
  note(state: DiskState, words: string): void
  /** The ledger's server said that its disk is full: taken for true until then. */
  noteRefused(words: string, until: Instant): void
  /** Why nothing can be kept now; null: there is room. */
  why(): string | null
}

export function createRoom(clock: Pick<Clock, 'now'>): RoomBoard {
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
    // What a server refuses it refuses itself, and takes again sooner than we would hear of it.
    check() {
      if (full !== null) throw new HoldfastError('E_LEDGER_DISK_FULL', { where: full, lines: [] })
    },
  }
}
