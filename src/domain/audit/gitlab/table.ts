import { durationText } from '../../format.ts'
import { startOf } from '../../gitlab/index.ts'
import type { AuditInput } from '../audit.ts'
import type { AuditTable } from '../finding.ts'
import type { GitlabFleet } from './fleet.ts'

/** Managers, and the job pods of their namespace. */
export function managerTable({ managers, jobPods }: GitlabFleet, { snapshot }: AuditInput): AuditTable {
  const jobsIn = Map.groupBy(jobPods, ({ namespace }) => namespace)
  return {
    title: 'Managers of GitLab Runner',
    columns: ['manager', 'phase', 'began', 'job pods there'],
    rows: managers.map((pod) => {
      const start = startOf(pod)
      const jobs = jobsIn.get(pod.namespace)?.length ?? 0
      const began = start === null ? 'not known' : `${durationText(snapshot.takenAt - start)} ago`
      return [`${pod.namespace}/${pod.name}`, pod.phase, began, String(jobs)]
    }),
  }
}
