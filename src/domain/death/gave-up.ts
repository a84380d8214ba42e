import type { Instant } from '../time.ts'
import type { LogSigns } from './log.ts'
import type { JobReport } from './record.ts'

/** A runner that reported the end of its job exits within this: it cleaned up before. */
const livedOnMsMin = 15_000
/** The assumed clock skew between the forge and Holdfast, for events that are judged by the forge's clock. */
const clockSkewMsMax = 120_000
/** The most time between a report to the forge and the log line about it. */
const reportMsMax = 5_000

/** The forge ended a job whose runner lived on. */
export interface GaveUp {
  /** When the forge ended it: by Holdfast's clock where the event came in time, otherwise by the forge's. */
  readonly at: Instant
  readonly livedOnMs: number
}

/**
 * The forge's end of a job whose runner lived on, by the order of events on both sides; null where there is none, or where
 * the runner's log says that the runner reported this end.
 */
export function gaveUp(job: JobReport | null, livedUntil: Instant, log: () => LogSigns): GaveUp | null {
  if (job === null || job.forgeStatus !== 'completed' || job.conclusion !== 'failure') return null
  const found = livedOn(job, livedUntil)
  return found === null || reported(log(), found.at) ? null : found
}

function livedOn({ heardAt: receivedAt, forgeCompletedAt }: JobReport, livedUntil: Instant): GaveUp | null {
  if (receivedAt !== null && livedUntil - receivedAt >= livedOnMsMin) {
    return { at: receivedAt, livedOnMs: livedUntil - receivedAt }
  }
  const at = forgeCompletedAt
  if (at === undefined || livedUntil - at < clockSkewMsMax + livedOnMsMin) return null
  return { at, livedOnMs: livedUntil - at }
}

/** Whether the log has the failure before the forge ended the job, or soon after. */
function reported({ jobResult }: LogSigns, at: Instant): boolean {
  if (jobResult === undefined || jobResult.line.endsWith('Succeeded')) return false
  const writtenAt = stampOf(jobResult.line)
  return writtenAt === null || writtenAt <= at + reportMsMax
}

/** The timestamp at the start of a line of GitHub's runner. */
function stampOf(line: string): Instant | null {
  const [, day, time] = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})Z: /.exec(line) ?? []
  const at = Date.parse(`${day}T${time}Z`)
  return Number.isNaN(at) ? null : at
}

/** How long a runner used no processor time before and after an instant. */
export interface Still {
  readonly beforeMs: number
  readonly afterMs: number
  /** The time between the samples around that instant, which bounds the resolution. */
  readonly stepMs: number
}

/** Samples further away than this do not count for the instant. */
const aroundMs = 60_000

type CpuSample = { readonly at: Instant; readonly cpuMs: number | null }

/**
 * How long the runner was still around `at`; null without samples on both sides. Up to `share` of one processor counts as
 * still: a process that only waits uses a little.
 */
export function stillAround(at: Instant, samples: readonly CpuSample[], share: number): Still | null {
  const counted = samples.filter(({ cpuMs }) => cpuMs !== null)
  const next = counted.findIndex((sample) => sample.at > at)
  const [before, after] = [counted[next - 1], counted[next]]
  if (before === undefined || after === undefined) return null
  if (at - before.at > aroundMs || after.at - at > aroundMs) return null
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
