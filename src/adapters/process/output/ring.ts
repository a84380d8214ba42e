/** The newest bytes of an output in a buffer that never grows. */
export interface Ring {
  write(chunk: Uint8Array): void
  /** The number of bytes ever written. */
  written(): number
  /** The kept bytes, oldest first, and whether older ones were dropped. */
  read(): { readonly bytes: Buffer; readonly cut: boolean }
}

export function createRing(capacityBytes: number): Ring {
  const buffer = Buffer.alloc(capacityBytes)
  let written = 0
  return {
    write(chunk) {
      const kept = chunk.length > capacityBytes ? chunk.subarray(chunk.length - capacityBytes) : chunk
      written += chunk.length - kept.length
      const at = written % capacityBytes
      const first = Math.min(kept.length, capacityBytes - at)
      buffer.set(kept.subarray(0, first), at)
      buffer.set(kept.subarray(first), 0)
      written += kept.length
    },
    written: () => written,
    read() {
      if (written <= capacityBytes) return { bytes: Buffer.from(buffer.subarray(0, written)), cut: false }
      const at = written % capacityBytes
      return { bytes: Buffer.concat([buffer.subarray(at), buffer.subarray(0, at)]), cut: true }
    },
  }
}
