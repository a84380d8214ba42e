import type { HostSample, HostSamples } from '../domain/death/index.ts'
import type { Instant } from '../domain/time.ts'
import type { SampleFiles } from '../ports/host-agent.ts'
import { endLine, kernelLine, type Mirrored, mirrorText, missingLine, sampleLine } from './ring/mirror.ts'
import { createRing } from './ring/ring.ts'

/** The bound of kept lines: a job that is killed over and over at its limit causes the same line each time. */
const oomLinesMax = 50
/** Longer than any line of the kernel, whose paths are bounded. */
const oomLineCharsMax = 2_000
const missingMax = 20
/** The number of lines that a file may grow by before it is rewritten: with the ring itself some 50 KB. */
const appendedMax = 240

/** The observations of one pod or local runner, in memory and in its file. */
export interface Watched {
  readonly podUid: string
  readonly endedAt: Instant | null
  readonly lastAt: Instant | null
  add(sample: HostSample): void
  /** False where it is known already. */
  addOomLine(at: Instant, line: string): boolean
  miss(what: string): void
  /** Ends the ring when its group is gone: only late lines of the kernel are added after that. */
  end(at: Instant): void
  ring(now: Instant, node: string, missing: readonly string[]): HostSamples
  /** The same with few of its samples, for a tenth of the price. */
  outline(now: Instant, node: string, missing: readonly string[]): HostSamples
}

export function createWatched(files: SampleFiles, podUid: string, before: Mirrored | null): Watched {
  const ring = createRing()
  const oomLines: { readonly at: Instant; readonly line: string }[] = [...(before?.oomLines ?? [])]
  const missing: string[] = [...(before?.missing ?? [])]
  let endedAt = before?.endedAt ?? null
  let appended = 0
  for (const sample of before?.samples ?? []) ring.add(sample)
  if (before !== null) rewrite() // a crash may have cut its last line

  function append(line: string): void {
    appended += 1
    if (appended > appendedMax) rewrite()
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
  ): HostSamples {
    return {
      podUid,
      node,
      samples,
      oomLines: [...oomLines],
      endedAt,
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
