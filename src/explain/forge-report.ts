import type { Explanation } from '../api/index.ts'
import type { JobReport } from '../domain/death/index.ts'
import type { TimelineEntry } from '../domain/timeline/index.ts'

/** The forge's report of a foreign runner's job. */
export interface ForgeJobReport {
  readonly job: NonNullable<Explanation['job']>
  readonly report: JobReport | null
  readonly timeline: readonly TimelineEntry[]
  /** Why the job failed, as the server judged it. */
  readonly verdict: Explanation['jobVerdict']
  readonly attempts: Explanation['attempts']
}

/** The server's answer about a foreign job, with its times parsed: from here on they are instants. */
export function forgeReportIn({
  at,
  job,
  timeline,
  jobVerdict: verdict,
  attempts,
}: Explanation): ForgeJobReport | null {
  if (job === null) return null
  const entries = timeline.map((entry) => ({ ...entry, at: Date.parse(entry.at) }))
  if (job.said === null) return { job, report: null, timeline: entries, verdict, attempts }
  const { forgeJobId, status, conclusion, startedAt, completedAt } = job.said
  const report = {
    forgeJobId,
    repository: job.repository,
    forgeStatus: status,
    conclusion,
    attemptState: status === 'completed' ? ('ended' as const) : ('running' as const),
    heardAt: Date.parse(at),
    startedAt: startedAt === null ? null : Date.parse(startedAt),
    ...(completedAt !== null && { forgeCompletedAt: Date.parse(completedAt) }),
  }
  return { job, report, timeline: entries, verdict, attempts }
}
