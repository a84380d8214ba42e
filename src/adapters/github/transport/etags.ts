/** A cached response with its ETag. */
interface Kept {
  readonly etag: string
  readonly body: unknown
  readonly byteCount: number
}

export interface Etags {
  get(account: string, path: string): Kept | undefined
  put(account: string, path: string, kept: Kept): void
}

export interface EtagBounds {
  readonly entriesMax: number
  readonly bytesMax: number
  /** A larger response is not kept: it would evict too many others. */
  readonly entryBytesMax: number
}

const bounds: EtagBounds = {
  entriesMax: 4_000,
  bytesMax: 32 * 1024 * 1024,
  entryBytesMax: 2 * 1024 * 1024,
}

/**
 * An LRU cache of responses by address and account. A response that did not change (304) costs nothing of GitHub's
 * rate limit.
 */
export function createEtags({ entriesMax, bytesMax, entryBytesMax }: EtagBounds = bounds): Etags {
  const entries = new Map<string, Kept>()
  let byteCount = 0
  const drop = (key: string): void => {
    byteCount -= entries.get(key)?.byteCount ?? 0
    entries.delete(key)
  }
  const set = (key: string, kept: Kept): void => {
    drop(key)
    entries.set(key, kept)
    byteCount += kept.byteCount
  }
  return {
    get(account, path) {
      const key = `${account} ${path}`
      const kept = entries.get(key)
      if (kept !== undefined) set(key, kept)
      return kept
    },
    put(account, path, kept) {
      const key = `${account} ${path}`
      if (kept.byteCount > entryBytesMax) return drop(key)
      set(key, kept)
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && byteCount <= bytesMax) break
        drop(oldest)
      }
    },
  }
}
