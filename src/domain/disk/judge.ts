const bytesPerMiB = 1024 * 1024

/** Space for a checkpoint, a few thousand records and one more WAL segment. */
export const reserveBytes = 32 * bytesPerMiB
/** Below this the next WAL segment may not fit, and Postgres shuts down. */
export const fullBelowBytes = 24 * bytesPerMiB
/** Space for the reserve and some work: with less the disk would be full again at once. */
export const freeAgainBytes = reserveBytes + 2 * fullBelowBytes
/** A tenth of the disk, up to the writes of a busy day; never less than `freeAgainBytes`. */
const lowShare = 0.1
const lowBytesMax = 1024 * bytesPerMiB

const diskStates = ['ok', 'low', 'full'] as const
export type DiskState = (typeof diskStates)[number]

export interface Space {
  readonly freeBytes: number
  readonly totalBytes: number
  readonly hasReserve: boolean
}

/** The state of a disk. One whose reserve was released is full until there is space for the reserve again. */
export function judgeDisk({ freeBytes, totalBytes, hasReserve }: Space): DiskState {
  if (freeBytes < (hasReserve ? fullBelowBytes : freeAgainBytes)) return 'full'
  const low = Math.max(freeAgainBytes, Math.min(lowBytesMax, totalBytes * lowShare))
  return freeBytes < low ? 'low' : 'ok'
}

/** The free space as text. */
export function spaceText({ freeBytes, totalBytes }: Omit<Space, 'hasReserve'>, folder: string): string {
  return `${mib(freeBytes)} MiB of ${mib(totalBytes)} MiB are free in ${folder}`
}

function mib(bytes: number): number {
  return Math.floor(bytes / bytesPerMiB)
}
