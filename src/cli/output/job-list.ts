import { ageText, type JobList, type JobSummary, moodOf, stateText } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { paintMood } from './mood.ts'
import { type Column, tableText } from './table.ts'

/** Jobs as a table: what, where it stands, since when. */
export function jobListText({ jobs, at }: JobList, context: Context): string {
  const columns: Column<JobSummary>[] = [
    { head: 'JOB', text: ({ id }) => String(id) },
    { head: 'REPOSITORY', text: ({ repository }) => repository, isFlexible: true },
    { head: 'NAME', text: ({ name }) => name, isFlexible: true },
    { head: 'STATE', text: stateText, paint: (job) => paintMood(moodOf(job), context.colors) },
    {
      head: 'RUNNER',
      text: ({ executor, pool }) => executor ?? (pool === null ? 'no pool' : '-'),
      isFlexible: true,
    },
    { head: 'SINCE', text: (job) => ageText(sinceOf(job), at) },
  ]
  return tableText(columns, jobs, context)
}

/** When the present state began, as far as a summary tells. */
function sinceOf(job: JobSummary): string {
  if (job.endedAt !== null) return job.endedAt
  return job.state === 'running' ? (job.forgeStartedAt ?? job.seenAt) : job.waitingSince
}
