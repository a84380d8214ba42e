import { durationText } from '../../format.ts'
import { type ForgeJobFact, isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { commandWith, evidenceOf, findingOf, subjectOf } from '../judging.ts'
import { abortedFinalization } from './classes.ts'

/** Longer than a runner needs to report the end after its last step, and the forge to close the job. */
const closingMs = 5 * 60_000

/** Jobs that are done and open, with no runner that could close them. Rests on all pods and runners being known. */
export function openFinishedJobs(input: AuditInput): readonly Finding[] {
  const { cluster, forge } = input.snapshot
  if (!isWhole(cluster.pods) || !isWhole(forge.runners)) return []
  const living = new Set(
    cluster.pods.items.filter(({ phase }) => phase === 'Running').map(({ name }) => name),
  )
  return forge.jobs.items.flatMap((job) => {
    const { runnerName, status } = job
    const { runner } = input.narrowed
    if (status !== 'in_progress' || runnerName === null || (runner !== null && runner !== runnerName))
      return []
    const doneAt = stepsDoneAt(job)
    if (doneAt === null || input.snapshot.takenAt - doneAt < closingMs) return []
    const isOnline = input.joins.forgeRunnerByName.get(runnerName)?.isOnline === true
    return isOnline || living.has(runnerName) ? [] : [openFinding(input, job, runnerName, doneAt)]
  })
}

/** When the last step was done; null while one is open, or where the forge does not say when. */
function stepsDoneAt({ steps }: ForgeJobFact): number | null {
  if (steps === null || steps.length === 0) return null
  const times = steps.map(({ status, completedAt }) => (status === 'completed' ? completedAt : null))
  return times.reduce<number | null>(
    (last, at) => (last === null || at === null ? null : Math.max(last, at)),
    0,
  )
}

function openFinding(
  { snapshot, joins }: AuditInput,
  job: ForgeJobFact,
  runner: string,
  doneAt: number,
): Finding {
  const { cluster, forge, scope, takenAt } = snapshot
  const atForge = joins.forgeRunnerByName.get(runner)
  return findingOf(abortedFinalization, {
    severity: 'warning',
    subject: subjectOf('job', { namespace: '', name: `${job.repository}#${job.jobId}` }),
    // Its pod may run in a namespace that was not looked at.
    confidence: scope.namespaces === null ? 'proven' : 'likely',
    summary: `${job.name} of ${job.repository} has been done for ${durationText(takenAt - doneAt)} and is still open.`,
    evidence: [
      evidenceOf(forge.jobs, `all ${job.steps?.length} steps are complete, the job is ${job.status}`, doneAt),
      evidenceOf(forge.runners, `${runner} is ${atForge === undefined ? 'not registered' : 'offline'}`),
      evidenceOf(cluster.pods, `no pod ${runner} runs`),
    ],
    nextAllowedAction: {
      kind: 'read',
      text: 'Keep the evidence of the job before anything is deleted or run again.',
      command: commandWith('holdfast triage', job.url ?? runner),
    },
  })
}
