import type { Instant } from '../time.ts'
import type { LogSigns } from './log.ts'
import type { JobAtEnd } from './record.ts'

/** A runner that reported the end of its job is gone within this: it tidied up before. */
export const LIVED_ON_MS_MIN = 15_000
/** Clocks of the forge and of ours may differ by so much: what was heard late is judged by the forge's clock with this in hand. */
const CLOCKS_DIFFER_MS_MAX = 120_000
/** A report and the line about it are written within this. */
const REPORT_MS_MAX = 5_000

/** The forge ended a job whose runner lived on. */
export interface GaveUp {
  /** When it did, by our clock as far as it was heard in time. */
  readonly at: Instant
  readonly livedOnMs: number
}

/**
 * Whether the forge ended the job of a runner that lived on, by the order of both sides' words; null where it did not, or
 * where the runner's own log says that it reported this end.
 */
export function gaveUp(job: JobAtEnd | null, livedUntil: Instant, log: () => LogSigns): GaveUp | null {
  if (job === null || job.forgeStatus !== 'completed' || job.conclusion !== 'failure') return null
  const found = livedOn(job, livedUntil)
  return found === null || reported(log(), found.at) ? null : found
}

function livedOn({ heardAt, forgeCompletedAt }: JobAtEnd, livedUntil: Instant): GaveUp | null {
  if (heardAt !== null && livedUntil - heardAt >= LIVED_ON_MS_MIN) {
    return { at: heardAt, livedOnMs: livedUntil - heardAt }
  }
  const at = forgeCompletedAt
  if (at === undefined || livedUntil - at < CLOCKS_DIFFER_MS_MAX + LIVED_ON_MS_MIN) return null
  return { at, livedOnMs: livedUntil - at }
}

/** A failure that the runner wrote of, unless it wrote so long after the forge had ended the job. */
function reported({ jobResult }: LogSigns, at: Instant): boolean {
  if (jobResult === undefined || jobResult.line.endsWith('Succeeded')) return false
  const writtenAt = stampOf(jobResult.line)
  return writtenAt === null || writtenAt <= at + REPORT_MS_MAX
}

/** The time with which GitHub's runner begins a line. */
function stampOf(line: string): Instant | null {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})Z: /.exec(line) ?? []
  const at = Date.parse(`${day}T${time}Z`)
  return Number.isNaN(at) ? null : at
}

/** How long before and after some time nothing of a runner used the processor. */
export interface Still {
  readonly beforeMs: number
  readonly afterMs: number
  /** Between the samples on both sides of that time: nothing is known in finer steps. */
  readonly stepMs: number
}

/** Samples further from the time than this tell nothing about it. */
const AROUND_MS = 60_000

type CpuSample = { readonly at: Instant; readonly cpuMs: number | null }

/**
 * By samples from both sides of that time; null where there are none. `share` of one processor counts as nothing: what only
 * waits for others still uses a little.
 */
export function stillAround(at: Instant, samples: readonly CpuSample[], share: number): Still | null {
  const counted = samples.filter(({ cpuMs }) => cpuMs !== null)
  const next = counted.findIndex((sample) => sample.at > at)
  const [before, after] = [counted[next - 1], counted[next]]
  if (before === undefined || after === undefined) return null
  if (at - before.at > AROUND_MS || after.at - at > AROUND_MS) return null
  const stepMs = after.at - before.at
  if (isUsed(before, after, share)) return { beforeMs: 0, afterMs: 0, stepMs }
  let [first, last] = [next - 1, next]
  while (first > 0 && !isUsed(counted[first - 1], counted[first], share)) first -= 1
  while (last < counted.length - 1 && !isUsed(counted[last], counted[last + 1], share)) last += 1
  return { beforeMs: at - (counted[first]?.at ?? at), afterMs: (counted[last]?.at ?? at) - at, stepMs }
}

function isUsed(from: CpuSample | undefined, to: CpuSample | undefined, share: number): boolean {
  if (from?.cpuMs == null || to?.cpuMs == null) return true
  return to.cpuMs - from.cpuMs > (to.at - from.at) * share
}
