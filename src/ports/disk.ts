/** The space of a disk, as the ledger's writer sees it. */
interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Whether the reserve is there, whole. */
  readonly hasReserve: boolean
}

/**
 * The disk that holds the ledger of this machine, with a reserve: bytes that are allocated while there is headroom, so
 * that they can be released when there is none, and writes that must still happen succeed.
 *
 * Contract, held by one suite against every implementation:
 * - `space` returns what is free without the reserve.
 * - `keepReserve` makes the reserve where it is not there, and returns whether it is: false without headroom.
 * - `releaseReserve` releases its bytes, and does nothing where it is not there.
 * - All of them may be repeated, and outlive the process.
 */
export interface Disk {
  /** Where it is, for people. */
  readonly folder: string
  space(): Promise<DiskSpace>
  keepReserve(): Promise<boolean>
  releaseReserve(): Promise<void>
}

/** The disk's headroom for input from outside, by its newest check. */
export interface DiskHeadroom {
  /** Throws `E_LEDGER_DISK_FULL` without headroom: refused input is sent again, and the reserve is for our own writes. */
  check(): void
}
