import { type ApiJobFile, deathText, type JobSummary, jobFileSchema, stateText } from '../../api/index.ts'
import type { Client } from '../client/client.ts'
import type { Context } from '../context.ts'
import { printable } from '../output/printable.ts'
import { wrapped } from '../output/wrap.ts'
import { type DemoKind, demoScripts } from './mix.ts'
import type { DemoFollowed } from './progress.ts'

/** The outcome of one job of the demo. */
export interface DemoEnd {
  readonly kind: DemoKind
  readonly forgeJobId: number
  readonly job: JobSummary | null
  readonly death: ApiJobFile['death']
}

/** Reads how each runner ended, which the summary of a job does not contain. */
export async function readEnds(server: Client, followed: readonly DemoFollowed[]): Promise<DemoEnd[]> {
  const ends: DemoEnd[] = []
  for (const { kind, forgeJobId, job } of followed) {
    const file = job === null ? null : await server.get(`/v1/jobs/${job.id}`, jobFileSchema)
    ends.push({ kind, forgeJobId, job: file?.job ?? null, death: file?.death ?? null })
  }
  return ends
}

/** Whether a job failed and the end of its runner is not known yet. */
export function lacksRecord({ job, death }: Pick<DemoEnd, 'job' | 'death'>): boolean {
  return job !== null && job.endedAt !== null && job.outcome !== 'success' && death === null
}

/** The outcome of each job as text, and the command that shows more. */
export function summaryText(ends: readonly DemoEnd[], context: Context): string {
  const lines = ends.flatMap((end) => {
    const what = demoScripts[end.kind].about
    if (end.job === null) return [`  forge job ${end.forgeJobId} (${what}): Holdfast never received it`]
    const { id, repository, name } = end.job
    const text = `job ${id}, ${name} of ${repository} (${what}): ${endText(end.job)}${runnerText(end)}`
    return wrapped(printable(text), '  ', 4, context.width)
  })
  const worst = ends.find(({ job, death }) => job !== null && death !== null && death.class !== 'clean')
  const hint = worst?.job ?? ends.find(({ job }) => job !== null)?.job
  const more = hint == null ? [] : ['', `The story of one, with the evidence: ${context.self} job ${hint.id}`]
  return [context.colors.bold('What became of them'), ...lines, ...more].join('\n')
}

function endText(job: JobSummary): string {
  return job.endedAt === null ? `not ended yet, it is ${stateText(job)}` : stateText(job)
}

function runnerText({ kind, job, death }: DemoEnd): string {
  if (kind === 'memory' && job?.outcome === 'success') return '; no memory limit of its pool stopped it'
  if (death !== null) return death.class === 'clean' && !death.oomKills ? '' : `; ${deathText(death)}`
  return lacksRecord({ job, death }) ? "; its runner's end is not on record yet" : ''
}
