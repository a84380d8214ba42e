import { durationText } from '../../format.ts'
import { timeoutMsOf } from '../../gitlab/index.ts'
import type { ContainerStatusFact, PodFact } from '../../snapshot/index.ts'
import type { Instant } from '../../time.ts'
import { fail, pass, type Verdict } from '../gate.ts'
import type { RecheckFacts } from '../remedy.ts'
import type { GitlabOrphansFacts } from './facts.ts'

/** GitLab's statuses of jobs that are over for good; a retry is another job. */
const overAtGitlab: ReadonlySet<string> = new Set(['success', 'failed', 'canceled', 'skipped'])
/** A manager that lives, wherever it is, has removed its pod by then; and the kubelet may end one late. */
const marginMs = 5 * 60_000

/** Whether the job is over by GitLab's word; absence is none. */
export function judgeAtGitlab(
  { planned, job }: Pick<RecheckFacts<GitlabOrphansFacts>, 'planned' | 'job'>,
  gitlab: string,
): Verdict {
  const host = URL.parse(gitlab)?.host ?? gitlab
  if (planned.job === null) return fail('its annotations do not name its job: GitLab cannot be asked')
  if (planned.job.host !== host) return fail(`its job is one of ${planned.job.host}, and ${host} was asked`)
  if (job === null)
    return fail(`the plan rests on the word of ${host}, which was not asked: give --gitlab-url ${gitlab}`)
  const { jobId } = planned.job
  if (job.status === null) return fail(`${host} shows no job ${jobId}: absence is no proof`)
  return { passed: overAtGitlab.has(job.status), proof: `${host}: job ${jobId} is ${job.status}` }
}

/** Whether nothing works in the pod any more, by the pod alone: its containers ended some time ago, or the time of its job is over. */
export function judgeByPod({ statuses, startedAt, annotations }: PodFact, now: Instant): Verdict {
  const states = statesText(statuses) || 'no container is reported'
  const ends = statuses.map(({ state }) => (state?.kind === 'terminated' ? state.finishedAt : null))
  // A Pending pod may wait for room, with a manager outside of the cluster that waits for it.
  if (ends.length > 0 && ends.every((at) => at !== null && at + marginMs < now))
    return pass(`every container has ended: ${states}`)
  const timeoutMs = timeoutMsOf(annotations)
  if (startedAt !== null && timeoutMs !== null && startedAt + timeoutMs + marginMs < now)
    return pass(`its time of ${durationText(timeoutMs)} has passed: ${states}`)
  return fail(
    `${states}: its job may go on; GitLab was not asked, and neither its end nor its deadline is long past`,
  )
}

function statesText(statuses: readonly ContainerStatusFact[]): string {
  return statuses
    .map(({ name, state }) => {
      const code = state?.exitCode == null ? '' : ` ${state.exitCode}`
      return `${name} ${state?.kind ?? 'not reported'}${code}${state?.reason ? ` ${state.reason}` : ''}`
    })
    .join(', ')
}
