import type { CronJobFact } from '../../../snapshot/index.ts'
import type { AuditInput } from '../../audit.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, findingOf, subjectOf } from '../../judging.ts'
import { evidenceCleaner } from '../classes.ts'
import type { GitlabFleet } from '../fleet.ts'

const deletesPods = /\bdelete\b[^|;]*\b(?:pods?|po)\b|\bpods?\b.*\|.*\bdelete\b/
const ofFailed = /status\.phase={1,2}'?"?Failed|\bFailed\b|\bEvicted\b|\bError\b/
const everywhere = /(?:^|\s)(?:-A|--all-namespaces)\b/
/** The API server knows no such selector for pods: the list is an error, and nothing follows from it. */
const deadSelector = /field-selector[ =]\S*metadata\.deletionTimestamp/
const forced = /--force\b|--grace-period[ =]0\b/

/** CronJobs that remove failed pods where GitLab Runner's jobs end. */
export function cleaners({ namespaces }: GitlabFleet, { snapshot }: AuditInput): readonly Finding[] {
  const { cronJobs } = snapshot.cluster
  return cronJobs.items.flatMap((cronJob) => {
    const text = cronJob.deleting.join('\n')
    const isNear = namespaces.has(cronJob.namespace) || (namespaces.size > 0 && everywhere.test(text))
    if (cronJob.isSuspended || !isNear || !/\bdelete\b/.test(text)) return []
    if (!deletesPods.test(text.replaceAll('\n', ' ')) || !ofFailed.test(text)) return []
    return [
      findingOf(evidenceCleaner, {
        severity: 'warning',
        subject: subjectOf('cron-job', cronJob),
        // The command is read, not run.
        confidence: 'likely',
        summary: `CronJob ${cronJob.name} removes failed pods (${cronJob.schedule}): why they failed is gone with them.`,
        evidence: wordsOf(cronJob, text).map((each) => evidenceOf(cronJobs, each)),
        nextAllowedAction: {
          kind: 'person',
          text: 'Let it wait for longer than it takes somebody to look, or have the ends of pods recorded before it comes.',
          command: null,
        },
      }),
    ]
  })
}

function wordsOf({ deleting }: CronJobFact, text: string): readonly string[] {
  return [
    ...deleting.slice(0, 5),
    ...(forced.test(text) ? ['it deletes by force: containers may go on without a pod'] : []),
    ...(deadSelector.test(text)
      ? ['metadata.deletionTimestamp is no field selector of pods: that part never does anything']
      : []),
  ]
}
