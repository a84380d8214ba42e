import type { ForgeJobFact, JobLogFact, Listing } from '../../../domain/snapshot/index.ts'
import type { Instant } from '../../../domain/time.ts'
import { maskedLog } from '../../forge-facts/index.ts'
import { fileError, textOf } from './answers-in-files.ts'

/** A file with the log of one job. */
export interface LogFile {
  readonly jobId: number
  readonly path: string
}

/** The logs that files have, each of a job that was read; those of all other jobs are unread. Throws E_FORGE_FILE. */
export async function readLogs(
  files: readonly LogFile[],
  jobs: readonly ForgeJobFact[],
  at: Instant,
): Promise<Listing<JobLogFact>> {
  const items = await Promise.all(files.map((file) => readLog(file, jobs)))
  const others = {
    what: files.length === 0 ? 'logs of jobs' : 'logs of other jobs',
    why: 'no file of theirs was given',
    needs: 'a credential of the forge, or --github-job-log <job>=<file>',
  }
  return { source: 'file', at, items, unread: [others] }
}

async function readLog({ jobId, path }: LogFile, jobs: readonly ForgeJobFact[]): Promise<JobLogFact> {
  const job = jobs.find((each) => each.jobId === jobId)
  if (job === undefined) throw fileError(path, `a job ${jobId} in a file of --github-jobs-json`, 'none')
  return maskedLog(await textOf(path), job)
}
