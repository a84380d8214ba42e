const MIB = 1024 * 1024

/** As much as a checkpoint, a few thousand records and one more segment of the write-ahead log take. */
export const reserveBytes = 32 * MIB
/** Below this the next segment of the write-ahead log may not fit, and Postgres ends itself. */
export const fullBelowBytes = 24 * MIB
/** Room for the reserve, and some to go on with: else it would be full again at once. */
export const freeAgainBytes = reserveBytes + 2 * fullBelowBytes
/** A tenth of the disk, up to what a busy day writes; never less than what ends a full disk. */
const lowShare = 0.1
const lowBytesMax = 1024 * MIB

export const diskStates = ['ok', 'low', 'full'] as const
export type DiskState = (typeof diskStates)[number]

export interface Space {
  readonly freeBytes: number
  readonly totalBytes: number
  readonly hasReserve: boolean
}

/** How a disk is to be taken. One whose reserve was given back is full until there is room for that again too. */
export function judgeDisk({ freeBytes, totalBytes, hasReserve }: Space): DiskState {
  if (freeBytes < (hasReserve ? fullBelowBytes : freeAgainBytes)) return 'full'
  const low = Math.max(freeAgainBytes, Math.min(lowBytesMax, totalBytes * lowShare))
  return freeBytes < low ? 'low' : 'ok'
}

/** What is free, for people. */
export function spaceText({ freeBytes, totalBytes }: Omit<Space, 'hasReserve'>, folder: string): string {
  return `${mib(freeBytes)} MiB of ${mib(totalBytes)} MiB are free in ${folder}`
}

function mib(bytes: number): number {
  return Math.floor(bytes / MIB)
}
