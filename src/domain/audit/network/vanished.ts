import { counted } from '../../format.ts'
import { type ForgeJobFact, isWhole } from '../../snapshot/index.ts'
import type { AuditInput } from '../audit.ts'
import type { Finding } from '../finding.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../judging.ts'
import { vanished } from './classes.ts'

/** Longer than between a job's start at the forge and the first sight of its runner in a snapshot. */
const startedMs = 2 * 60_000
const lostWords = 'lost communication with the server'

/**
 * Jobs of the fleet's labels whose runner left nothing: no pod, no object, no registration. That is itself the finding.
 * Rests on all of these being known.
 */
export function vanishedRunners(input: AuditInput): readonly Finding[] {
  const { cluster, forge, scope } = input.snapshot
  const isKnown = isWhole(cluster.pods) && isWhole(cluster.runners) && isWhole(forge.runners)
  if (!isKnown || scope.namespaces !== null || scope.labels !== null) return []
  const present = new Set([...cluster.pods.items, ...cluster.runners.items].map(({ name }) => name))
  const lost = forge.jobs.items.filter(
    (job) => isOfFleet(input, job) && isLost(input, job) && !present.has(job.runnerName ?? ''),
  )
  const groups = Map.groupBy(lost, ({ repository }) => repository)
  return [...groups].map(([repository, jobs]) => vanishedFinding(input, repository, jobs))
}

function isOfFleet({ joins, narrowed }: AuditInput, { labels, runnerName }: ForgeJobFact): boolean {
  if (runnerName === null || (narrowed.runner !== null && narrowed.runner !== runnerName)) return false
  return labels.some((label) => joins.setsByLabel.has(label))
}

function isLost({ snapshot, joins }: AuditInput, job: ForgeJobFact): boolean {
  if (job.annotations?.some(({ message }) => message.includes(lostWords)) === true) return true
  const isOnline = joins.forgeRunnerByName.get(job.runnerName ?? '')?.isOnline === true
  const isOld = job.startedAt !== null && snapshot.takenAt - job.startedAt >= startedMs
  return job.status === 'in_progress' && isOld && !isOnline
}

function vanishedFinding(
  { snapshot }: AuditInput,
  repository: string,
  jobs: readonly ForgeJobFact[],
): Finding {
  const { cluster, forge } = snapshot
  const [first] = jobs
  return findingOf(vanished, {
    severity: 'warning',
    subject: subjectOf('repository', { namespace: '', name: repository }),
    confidence: 'likely',
    summary: `${repository} lost the runner of ${counted(jobs.length, 'job')}, and nothing is left of it.`,
    evidence: [
      evidenceOf(
        forge.jobs,
        `${first?.name} (${first?.jobId}) ran on ${first?.runnerName}, and is ${first?.conclusion ?? first?.status}`,
      ),
      evidenceOf(
        cluster.pods,
        `no pod and no runner: ${someOf(jobs.map(({ runnerName }) => runnerName ?? ''))}`,
      ),
    ],
    nextAllowedAction: {
      kind: 'person',
      text: 'Find what removes pods before anybody reads them: the audit log of the API server has it.',
      command: null,
    },
  })
}
