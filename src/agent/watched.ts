import type { HostRing, HostSample } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import type { RingFiles } from '../ports/host-agent.ts'
import { endLine, kernelLine, type Mirrored, mirrorText, missingLine, sampleLine } from './ring/mirror.ts'
import { createRing } from './ring/ring.ts'

/** A job that is killed over and over at its limit tells the same each time. */
export const oomLinesMax = 50
/** Longer than the kernel's own, whose paths are bounded. */
export const oomLineCharsMax = 2_000
export const missingMax = 20
/** Lines that a file may grow by before it is written anew: with the ring itself some 50 KB. */
const APPENDED_MAX = 240

/** One pod, or one local runner: what was seen of it, in memory and in its file. */
export interface Watched {
  readonly podUid: string
  readonly endedAt: Instant | null
  readonly lastAt: Instant | null
  add(sample: HostSample): void
  /** False where it is known already. */
  addOomLine(at: Instant, line: string): boolean
  miss(what: string): void
  /** Its group is gone: nothing is added any more but what the kernel told meanwhile. */
  end(at: Instant): void
  ring(now: Instant, node: string, missing: readonly string[]): HostRing
  /** The same with few of its samples, for a tenth of the price. */
  outline(now: Instant, node: string, missing: readonly string[]): HostRing
}

export function createWatched(files: RingFiles, podUid: string, before: Mirrored | null): Watched {
  const ring = createRing()
  const oomLines: { readonly at: Instant; readonly line: string }[] = [...(before?.oomLines ?? [])]
  const missing: string[] = [...(before?.missing ?? [])]
  let endedAt = before?.endedAt ?? null
  let appended = 0
  for (const sample of before?.samples ?? []) ring.add(sample)
  if (before !== null) rewrite() // a crash may have cut its last line

  function append(line: string): void {
    appended += 1
    if (appended > APPENDED_MAX) rewrite()
    else files.append(podUid, line)
  }

  function rewrite(): void {
    appended = 0
    files.replace(podUid, mirrorText({ samples: ring.samples(), oomLines, missing, endedAt }))
  }

  function ringWith(
    samples: readonly HostSample[],
    now: Instant,
    node: string,
    alsoMissing: readonly string[],
  ): HostRing {
    return {
      ...{ podUid, node, samples, oomLines: [...oomLines], endedAt },
      lastSampleAgeMs: ring.lastAt === null ? null : Math.max(0, (endedAt ?? now) - ring.lastAt),
      missing: [...missing, ...alsoMissing].slice(0, missingMax),
    }
  }

  return {
    podUid,
    get endedAt() {
      return endedAt
    },
    get lastAt() {
      return ring.lastAt
    },
    add(sample) {
      ring.add(sample)
      append(sampleLine(sample))
    },
    addOomLine(at, text) {
      const line = text.slice(0, oomLineCharsMax)
      if (oomLines.some((known) => known.line === line)) return false
      if (oomLines.length >= oomLinesMax) oomLines.shift()
      oomLines.push({ at, line })
      append(kernelLine({ at, line }))
      return true
    },
    miss(what) {
      if (missing.includes(what) || missing.length >= missingMax) return
      missing.push(what)
      append(missingLine(what))
    },
    end(at) {
      endedAt ??= at
      append(endLine(endedAt))
    },
    ring: (now, node, alsoMissing) => ringWith(ring.samples(), now, node, alsoMissing),
    outline: (now, node, alsoMissing) => ringWith(ring.outline(), now, node, alsoMissing),
  }
}
