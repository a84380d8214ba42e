import { ageText, type JobSummary, moodOf, stateText } from '../../api/index.ts'
import { changeLine } from '../commands/watch-jobs.ts'
import { type Context, printText } from '../context.ts'
import { paintMood } from '../output/mood.ts'
import { createPanel } from '../output/panel.ts'
import { tableText } from '../output/table.ts'
import { type Followed, hasEnded } from './follow.ts'
import { type DemoKind, demoScripts } from './mix.ts'

export interface DemoFollowed extends Followed {
  readonly kind: DemoKind
  readonly repository: string
}

/** Shows how the jobs go: one table that refreshes on a terminal, else a line for each change. */
export function createProgress(context: Context): (followed: readonly DemoFollowed[], at: string) => void {
  const panel = context.isTerminal ? createPanel(context) : null
  const shown = new Map<number, string>()
  return (followed, at) => {
    panel?.show(progressText(followed, at, context))
    for (const { job, forgeJobId } of followed) {
      if (panel !== null || job === null || shown.get(forgeJobId) === stateText(job)) continue
      shown.set(forgeJobId, stateText(job))
      printText(context, changeLine(job, at))
    }
  }
}

function progressText(followed: readonly DemoFollowed[], at: string, context: Context): string {
  const ended = followed.filter(hasEnded).length
  const columns = [
    { head: 'JOB', text: ({ job }: DemoFollowed) => String(job?.id ?? '-') },
    { head: 'REPOSITORY', text: ({ repository }: DemoFollowed) => repository },
    { head: 'WHAT IT DOES', text: ({ kind }: DemoFollowed) => demoScripts[kind].about, isFlexible: true },
    {
      head: 'STATE',
      text: ({ job }: DemoFollowed) => (job === null ? 'submitted' : stateText(job)),
      paint: ({ job }: DemoFollowed) =>
        job === null ? context.colors.dim : paintMood(moodOf(job), context.colors),
    },
    { head: 'FOR', text: ({ job }: DemoFollowed) => (job === null ? '' : lastedText(job, at)) },
  ]
  return `${tableText(columns, followed, context)}\n${ended} of ${followed.length} ended`
}

function lastedText(job: JobSummary, at: string): string {
  return ageText(job.seenAt, job.endedAt ?? at)
}
