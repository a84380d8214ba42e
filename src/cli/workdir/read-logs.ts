import type { Command } from 'commander'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import type { TriageSubject } from '../../domain/triage/index.ts'
import { meaningsOf } from '../../explain/index.ts'
import type { Context } from '../context.ts'
import { readLogFile } from '../explain-log-file.ts'
import { openSnapshot } from '../snapshot/open-snapshot.ts'
import { subjectOf, wishesOf } from '../triage/subject.ts'
import { usage } from '../usage.ts'

/** The newest part of a job's log. */
export interface JobLog {
  readonly lines: readonly string[]
  /** As the forge names it; null: only the log may. */
  readonly runner: string | null
  readonly isCut: boolean
}

export interface ReadLogs {
  readonly logs: readonly JobLog[]
  readonly unread: readonly { readonly why: string; readonly needs: string | null }[]
}

/** Failed jobs of a run whose logs are read. */
const jobsMax = 10

/** The logs of a file, a job or the failed jobs of a run. Throws E_USAGE, E_LOG_UNREADABLE, or why nothing could be read. */
export async function readLogs(asked: string, command: Command, context: Context): Promise<ReadLogs> {
  if (!/^https?:/i.test(asked)) {
    const { text, isCut } = await readLogFile(asked, context)
    return { logs: [{ lines: text.split('\n'), runner: null, isCut }], unread: [] }
  }
  const subject = meaningsOf(asked)
    .map(subjectOf)
    .find((each) => each !== null)
  if (subject === undefined)
    throw usage(
      `"${asked}" is no URL of a job or run: expected https://<forge>/<owner>/<repository>/actions/runs/<run>`,
    )
  const snapshot = await openSnapshot(command, context, wishesOf(subject), false)
  return subject.kind === 'run'
    ? logsOfRun(subject, snapshot, command, context)
    : logsIn(snapshot, jobsOf(subject, snapshot))
}

/** The forge gives logs by job: they are asked for once the jobs are known. */
async function logsOfRun(
  subject: TriageSubject,
  snapshot: Snapshot,
  command: Command,
  context: Context,
): Promise<ReadLogs> {
  const jobs = jobsOf(subject, snapshot)
    .filter(({ conclusion }) => conclusion === 'failure')
    .slice(0, jobsMax)
  return jobs.length === 0
    ? logsIn(snapshot, [])
    : logsIn(await openSnapshot(command, context, { jobs }, false), jobs)
}

type Job = Snapshot['forge']['jobs']['items'][number]

function jobsOf(subject: TriageSubject, { forge }: Snapshot): readonly Job[] {
  return forge.jobs.items.filter(
    (job) =>
      (subject.kind === 'run' && job.repository === subject.repository && job.runId === subject.runId) ||
      (subject.kind === 'job' && job.repository === subject.repository && job.jobId === subject.jobId),
  )
}

function logsIn({ forge }: Snapshot, jobs: readonly Job[]): ReadLogs {
  const logs = jobs.flatMap(({ repository, jobId, runnerName }) =>
    forge.logs.items
      .filter((log) => log.repository === repository && log.jobId === jobId)
      .map(({ lines, isCut }) => ({ lines, isCut, runner: runnerName })),
  )
  const unread = [...forge.jobs.unread, ...forge.logs.unread].map(({ what, why, needs }) => ({
    why: `${what}: ${why}`,
    needs,
  }))
  if (jobs.length > 0) return { logs, unread }
  return { logs, unread: [{ why: 'no failed job of this name was read', needs: null }, ...unread] }
}
