/** One record of the kernel's log. */
export interface KernelRecord {
  /** Whether the kernel wrote it: the kernel gives records of programs another facility. */
  readonly isKernels: boolean
  /** The time since boot. */
  readonly afterBootMs: number
  readonly text: string
}

/** `priority,sequence,microseconds,flags;text`, with lines of fields below that are not needed here. */
const recordPattern = /^(\d+),\d+,(\d+),[^;]*;([^\n]*)/
const facilityShift = 3

/** Parses a record of /dev/kmsg; null where it is invalid. */
export function parseRecord(record: string): KernelRecord | null {
  const [, priority, us, text] = recordPattern.exec(record) ?? []
  if (priority === undefined || us === undefined || text === undefined) return null
  return { isKernels: Number(priority) >> facilityShift === 0, afterBootMs: Number(us) / 1_000, text }
}
