import { type Explanation, iso } from '../api/index.ts'
import type { ForgeWord } from '../domain/binding/index.ts'
import type { Instant } from '../domain/time.ts'
import { compose } from './compose.ts'
import { item } from './evidence/index.ts'
import { type Moment, moment } from './moments/index.ts'
import { oneLine } from './words.ts'

/** What the forge says of a job that is none of ours: who ran it, and how to go on from there. */
export function explainWord(word: ForgeWord, asked: string, now: Instant): Explanation {
  const { job, status, conclusion, runnerName } = word
  const state = `${status.replaceAll('_', ' ')}${conclusion === null ? '' : ` (${conclusion})`}`
  const on = runnerName === null ? '' : ` on ${runnerName}`
  return compose({
    ...{ now, ending: null, ring: null, sealed: null, verdict: null, pod: null, did: [] },
    subject: { asked, kind: 'job', title: `Job ${job.forgeJobId}, ${job.repository} · ${job.name}` },
    job: {
      ...{ id: null, forge: `${job.installation}:${job.forgeJobId}`, state },
      ...{ repository: oneLine(job.repository), name: oneLine(job.name), said: saidOf(word) },
    },
    runner:
      runnerName === null ? null : { name: oneLine(runnerName), pool: null, state: 'not of this Holdfast' },
    standing: `The job is none of this Holdfast; the forge says that it is ${state}${on}.`,
    items: [item('forge', now, `The job is ${state}${on}.`)],
    moments: momentsOf(word),
    unknown: ['how its runner ended: Holdfast does not run it, and has no record of it'],
    nextSteps:
      runnerName === null
        ? []
        : [`If ${runnerName} is a pod, read it too: holdfast explain --namespace <namespace> ${asked}`],
  })
}

function saidOf({ job, status, conclusion, startedAt, completedAt }: ForgeWord) {
  return {
    ...{ forgeJobId: job.forgeJobId, status, conclusion },
    startedAt: startedAt === null ? null : iso(startedAt),
    completedAt: completedAt === null ? null : iso(completedAt),
  }
}

function momentsOf({ queuedAt, startedAt, completedAt }: ForgeWord): Moment[] {
  return [
    ...moment(queuedAt, 'forge', 'The job was queued, by the clock of the forge.'),
    ...moment(startedAt, 'forge', 'The job began, by the clock of the forge.'),
    ...moment(completedAt, 'forge', 'The job was over, by the clock of the forge.'),
  ]
}
