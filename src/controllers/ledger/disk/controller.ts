import { type DiskState, freeAgainBytes, judgeDisk, spaceText } from '../../../domain/disk/index.ts'
import { done, type Loop } from '../../../loop/index.ts'
import type { Disk } from '../../../ports/disk.ts'
import type { IncidentLedger } from '../../../ports/ledger.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { DiskHeadroomBoard } from './headroom.ts'

export interface DiskDeps {
  readonly disk: Disk
  readonly headroom: DiskHeadroomBoard
  readonly ledger: IncidentLedger
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
  /** Fetches the webhooks that were refused while there was no room. */
  readonly catchUp: (signal: AbortSignal) => Promise<void>
}

/** How soon a full disk is reported, and one with room again is used. */
const resyncMs = 2_000

/**
 * Watches the disk that holds the ledger. While it is full nothing is accepted from outside, and the released reserve
 * makes room for the writes that are necessary: ends, records, and the incident.
 */
export function diskLoop(deps: DiskDeps): Loop {
  const { disk, headroom, log, metrics } = deps
  let before: DiskState | null = null
  /** The state that the open incidents report; null: unknown. */
  let reported: DiskState | null = null
  let behind = false
  return {
    name: 'disk',
    resyncMs,
    wokenBy: () => false,
    async pass(signal) {
      const space = await disk.space()
      metrics.set('holdfast_disk_free_bytes', {}, space.freeBytes)
      const state = judgeDisk(space)
      const words = spaceText(space, disk.folder)
      if (state === 'full') await disk.releaseReserve()
      else if (space.freeBytes >= freeAgainBytes) await disk.keepReserve()
      if (state !== before) say(state, before, words, log)
      headroom.note(state, words)
      behind ||= state === 'full'
      before = state
      // A write without an answer may have been applied: then it is unknown which state the incidents report.
      if (reported !== state) reported = (await report(state, words, deps)) ? state : null
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

/** On a full disk this may fail; the next pass retries, and nothing else waits for it. */
async function report(state: DiskState, words: string, deps: DiskDeps): Promise<boolean> {
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
