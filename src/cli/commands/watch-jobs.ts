import { type JobList, type JobSummary, stateText } from '../../api/index.ts'
import { type Context, printText } from '../context.ts'
import { jobListText } from '../output/job-list.ts'
import { createPanel } from '../output/panel.ts'
import { printable } from '../output/printable.ts'
import { pause } from './pause.ts'

const everyMs = 1_000

/** Shows jobs until it is ended: a table that refreshes on a terminal, else a line for each change. */
export async function watchJobs(
  read: () => Promise<JobList>,
  options: { readonly json?: boolean },
  context: Context,
): Promise<void> {
  const panel = context.isTerminal && !options.json ? createPanel(context) : null
  const shown = new Map<number, string>()
  do {
    const list = await read()
    panel?.show(
      list.jobs.length + list.unreadable.length === 0 ? 'No such jobs.' : jobListText(list, context),
    )
    for (const job of list.jobs.toReversed()) {
      if (panel !== null || shown.get(job.id) === stateText(job)) continue
      shown.set(job.id, stateText(job))
      printText(context, options.json ? JSON.stringify(job) : changeLine(job, list.at))
    }
  } while (await pause(everyMs, context))
}

/** One change of one job, in one line. */
export function changeLine(job: JobSummary, at: string): string {
  const where = job.state === 'running' && job.runner !== null ? ` on ${job.runner}` : ''
  const text = `job ${job.id} ${job.repository} ${job.name}: ${stateText(job)}${where}`
  return `${at.slice(11, 19)}  ${printable(text)}`
}
