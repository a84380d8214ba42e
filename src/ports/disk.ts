/** What a disk has, as the one sees it who writes the ledger. */
export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Whether the reserve is there, whole. */
  readonly hasReserve: boolean
}

/**
 * The disk that holds the ledger of this machine, with a reserve: bytes that are taken while there is room, so that they
 * can be given back when there is none, and what must still be written finds a place.
 *
 * Contract, held by one suite against every implementation:
 * - `space` tells what is free without the reserve.
 * - `keepReserve` makes the reserve where it is not there, and gives whether it is: false where it has no room.
 * - `releaseReserve` gives its bytes back, and does nothing where it is not there.
 * - All of them may be repeated, and outlive the process.
 */
export interface Disk {
  /** Where it is, for people. */
  readonly folder: string
  space(): Promise<DiskSpace>
  keepReserve(): Promise<boolean>
  releaseReserve(): Promise<void>
}

/** Whether there is room for what comes from outside, as the newest look at the disk has it. */
export interface Room {
  /** Throws `E_LEDGER_DISK_FULL` where there is none: what is not taken comes again, and the reserve is for our own. */
  check(): void
}
