/** As a kubelet writes it before each line of a container that it was asked for with times. */
const stampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) /
/** The longest of them, with its space. */
const stampBytesMax = 36
/** A message of the kubelet itself is short; no more of it is kept. */
const messageBytesMax = 1_000
const newlineByte = 0x0a

/** The lines of a container without their times, and what the kubelet wrote between or in place of them. */
export interface StampReader {
  /** The part of the next bytes that the container wrote. */
  next(chunk: Uint8Array): Uint8Array[]
  /** The rest, when all bytes were read. */
  end(): Uint8Array[]
  /** A line without a time is none of the container's: the kubelet writes its own errors into its answer. */
  message(): string
}

export function createStampReader(): StampReader {
  /** The beginning of a line, until it is known whose it is. */
  let begun: Uint8Array = Buffer.alloc(0)
  let isAtStart = true
  let isContainers = true
  let message = Buffer.alloc(0)

  function take(part: Uint8Array, out: Uint8Array[]): void {
    if (part.length === 0) return
    if (isContainers) out.push(part)
    else if (message.length < messageBytesMax)
      message = Buffer.concat([message, part.subarray(0, messageBytesMax)])
  }

  function decide(out: Uint8Array[]): void {
    const stamp = stampPattern.exec(Buffer.from(begun.subarray(0, stampBytesMax)).toString('latin1'))
    isContainers = stamp !== null
    isAtStart = false
    const line = begun
    begun = Buffer.alloc(0)
    take(line.subarray(stamp?.[0].length ?? 0), out)
  }

  return {
    next(chunk) {
      const out: Uint8Array[] = []
      for (let from = 0; from < chunk.length; ) {
        const found = chunk.indexOf(newlineByte, from)
        const isWhole = found !== -1
        const end = isWhole ? found + 1 : chunk.length
        const part = chunk.subarray(from, end)
        from = end
        if (isAtStart) {
          begun = Buffer.concat([begun, part])
          if (isWhole || begun.length >= stampBytesMax) decide(out)
        } else take(part, out)
        if (isWhole) isAtStart = true
      }
      return out
    },
    end() {
      const out: Uint8Array[] = []
      if (isAtStart && begun.length > 0) decide(out)
      return out
    },
    message: () => message.subarray(0, messageBytesMax).toString('utf8').trim(),
  }
}
