import { ageText, type JobList, type JobSummary, moodOf, stateText } from '../../api/index.ts'
import type { Context } from '../context.ts'
import { paintMood } from './mood.ts'
import { printable } from './printable.ts'
import { type Column, tableText } from './table.ts'
import { unreadableLines } from './unreadable.ts'
import { wrapped } from './wrap.ts'

/** The number of different reasons shown below the table; `holdfast job` shows the others. */
const reasonsMax = 5

/** Jobs as a table with state and age; below it why some jobs are unreachable. */
export function jobListText({ jobs, unreadable, at }: JobList, context: Context): string {
  const columns: Column<JobSummary>[] = [
    { head: 'JOB', text: ({ id }) => String(id) },
    { head: 'REPOSITORY', text: ({ repository }) => repository, isFlexible: true },
    { head: 'NAME', text: ({ name }) => name, isFlexible: true },
    { head: 'STATE', text: stateText, paint: (job) => paintMood(moodOf(job), context.colors) },
    { head: 'RUNNER', text: runnerText, isFlexible: true },
    { head: 'SINCE', text: (job) => ageText(sinceOf(job), at) },
  ]
  const strange = unreadable.map(({ id, repository, name, why }) => ({
    name: `job ${id} of ${repository} · ${name}`,
    why,
  }))
  return [
    tableText(columns, jobs, context),
    ...reasonLines(jobs, context),
    ...unreadableLines(strange, context),
  ].join('\n')
}

function runnerText({ runner, pool }: JobSummary): string {
  return runner ?? (pool === null ? 'no pool' : '-')
}

/** When the current state began, as far as the summary has it. */
function sinceOf(job: JobSummary): string {
  if (job.endedAt !== null) return job.endedAt
  return job.state === 'running' ? (job.forgeStartedAt ?? job.seenAt) : job.waitingSince
}

function reasonLines(jobs: readonly JobSummary[], context: Context): string[] {
  const unreachable = jobs.filter(({ reach }) => reach !== null)
  const byReason = Map.groupBy(unreachable, ({ reach }) => reach?.sentence ?? '')
  return [...byReason].slice(0, reasonsMax).flatMap(([sentence, members]) => {
    const oldest = Math.min(...members.map(({ id }) => id))
    const whom = members.length === 1 ? `job ${oldest}` : `${members.length} jobs, the oldest ${oldest}`
    const lead = `${context.colors.red('unreachable')} `
    const todo = members[0]?.reach?.todo ?? ''
    return [
      '',
      ...wrapped(printable(`(${whom}): ${sentence}`), lead, 2, context.width),
      ...wrapped(printable(todo), `  ${context.colors.dim('to do')} `, 8, context.width),
    ]
  })
}
