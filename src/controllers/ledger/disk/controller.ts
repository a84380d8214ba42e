import { type DiskState, freeAgainBytes, judgeDisk, spaceText } from '../../../domain/disk/index.ts'
import { done, type Loop } from '../../../loop/index.ts'
import type { Disk } from '../../../ports/disk.ts'
import type { Ledger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { RoomBoard } from './room.ts'

export interface DiskDeps {
  readonly disk: Disk
  readonly room: RoomBoard
  readonly ledger: Pick<Ledger, 'raiseIncident' | 'liftIncident'>
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
  /** Fetches what was not taken while there was no room. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
}

/** So soon a full disk is said, and one that was emptied is used again. */
const sweepMs = 2_000

/**
 * Watches the disk that holds the ledger. While it is full nothing is taken from outside, and the reserve makes room for
 * what must be written: ends, records, and the incident that says so.
 */
export function diskLoop(deps: DiskDeps): Loop {
  const { disk, room, log, metrics } = deps
  let before: DiskState | null = null
  /** What incidents stand for; null: not known. */
  let told: DiskState | null = null
  let behind = false
  return {
    name: 'disk',
    sweepMs,
    wokenBy: () => false,
    async pass(signal) {
      const space = await disk.space()
      metrics.set('holdfast_disk_free_bytes', {}, space.freeBytes)
      const state = judgeDisk(space)
      const words = spaceText(space, disk.folder)
      if (state === 'full') await disk.releaseReserve()
      else if (space.freeBytes >= freeAgainBytes) await disk.keepReserve()
      if (state !== before) say(state, before, words, log)
      room.note(state, words)
      behind ||= state === 'full'
      before = state
      // What was not answered may have been written all the same: then nobody knows what incidents stand for.
      if (told !== state) told = (await tell(state, words, deps)) ? state : null
      if (behind && state !== 'full') {
        await deps.catchUp(signal)
        behind = false
      }
      return done
    },
  }
}

function say(state: DiskState, before: DiskState | null, words: string, log: Log): void {
  if (state === 'full') log.error({ words }, 'the disk is full: no webhook is taken until there is room')
  else if (state === 'low') log.warn({ words }, 'the disk has little room left')
  else if (before !== null) log.info({ words }, 'the disk has room again')
}

/** On a disk without room this may fail; the next pass tries again, and nothing else waits for it. */
async function tell(state: DiskState, words: string, deps: DiskDeps): Promise<boolean> {
  const { ledger, installation, disk, log } = deps
  const of = { installation, scope: 'runners', key: disk.folder } as const
  try {
    if (state === 'full') await ledger.raiseIncident({ kind: 'disk-full', ...of, reason: words }, 0)
    else await ledger.liftIncident({ kind: 'disk-full', ...of })
    if (state === 'low') await ledger.raiseIncident({ kind: 'disk-low', ...of, reason: words }, 0)
    else await ledger.liftIncident({ kind: 'disk-low', ...of })
    return true
  } catch (error) {
    log.warn({ err: error, state }, 'how the disk is could not be noted in the ledger')
    return false
  }
}
