/** One record of the kernel's log. */
export interface KernelRecord {
  /** Whether the kernel wrote it. What a program writes to the log has another facility, and the kernel sees to that. */
  readonly isKernels: boolean
  /** Since the machine started. */
  readonly afterBootMs: number
  readonly text: string
}

/** `priority,sequence,microseconds,flags;text`, with lines of fields below that are not needed here. */
const RECORD = /^(\d+),\d+,(\d+),[^;]*;([^\n]*)/
const FACILITY_SHIFT = 3

/** A record as /dev/kmsg gives it; null where it is none. */
export function parseRecord(record: string): KernelRecord | null {
  const [, priority, us, text] = RECORD.exec(record) ?? []
  if (priority === undefined || us === undefined || text === undefined) return null
  return { isKernels: Number(priority) >> FACILITY_SHIFT === 0, afterBootMs: Number(us) / 1_000, text }
}
