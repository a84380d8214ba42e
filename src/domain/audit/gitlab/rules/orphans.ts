import { counted, durationText } from '../../../format.ts'
import {
  isJobNamespace,
  isOlderThan,
  livingManagers,
  oldestStart,
  timeoutMsOf,
} from '../../../gitlab/index.ts'
import { isWhole, type PodFact, type Snapshot } from '../../../snapshot/index.ts'
import type { AuditInput } from '../../audit.ts'
import type { Finding } from '../../finding.ts'
import { evidenceOf, findingOf, someOf, subjectOf } from '../../judging.ts'
import { orphanedJobNamespace, orphanedJobPods } from '../classes.ts'
import type { GitlabFleet } from '../fleet.ts'

/** The longest jobs are over by then; GitLab's own limit is an hour unless somebody raised it. */
const namespaceAgeMs = 2 * 3_600_000

/** Whether every manager and every pod of the cluster was read: an orphan is known by a manager's absence. */
export function isWholeFleet({ cluster, scope }: Snapshot): boolean {
  const { namespaces, labels, nodes } = scope
  return isWhole(cluster.pods) && namespaces === null && labels === null && nodes === null
}

/** Live job pods that are older than every manager's process, by namespace. */
export function orphanedPods({ managers, jobPods }: GitlabFleet, input: AuditInput): readonly Finding[] {
  const oldest = oldestStart(livingManagers(managers))
  // Where one is starting it may have been there before, and where none is seen it may be outside: then nothing is known.
  if (!isWholeFleet(input.snapshot) || oldest === 'unknown' || oldest === 'none') return []
  const orphans = jobPods.filter(
    (pod) =>
      (pod.phase === 'Running' || pod.phase === 'Pending') &&
      pod.deletedAt === null &&
      isOlderThan(pod, oldest),
  )
  return [...Map.groupBy(orphans, ({ namespace }) => namespace)].map(([namespace, pods]) =>
    orphanFinding(namespace, pods, oldest, input),
  )
}

function orphanFinding(
  namespace: string,
  pods: readonly PodFact[],
  oldest: number,
  { snapshot }: AuditInput,
): Finding {
  const { takenAt, cluster } = snapshot
  const [first] = pods
  const timeoutMs = first === undefined ? null : timeoutMsOf(first.annotations)
  const ends =
    timeoutMs === null || first?.startedAt == null
      ? []
      : [
          evidenceOf(
            cluster.pods,
            `its deadline ends it ${deadlineText(first.startedAt + timeoutMs - takenAt)}`,
          ),
        ]
  return findingOf(orphanedJobPods, {
    severity: 'warning',
    subject: subjectOf('namespace', { namespace, name: namespace }),
    // A manager outside of the cluster may have made them.
    confidence: 'likely',
    summary: `${counted(pods.length, 'job pod')} in ${namespace} ${pods.length === 1 ? 'is' : 'are'} older than every manager: nobody reports the end of ${pods.length === 1 ? 'its job' : 'their jobs'}.`,
    evidence: [
      evidenceOf(cluster.pods, `pods: ${someOf(pods.map(({ name }) => name))}`),
      evidenceOf(cluster.pods, `the oldest manager began ${durationText(takenAt - oldest)} ago`),
      ...ends,
    ],
    nextAllowedAction: {
      kind: 'person',
      text: `Read what the pod did (holdfast explain --namespace ${namespace} <pod>); it may go once its job is over at GitLab.`,
      command: null,
    },
  })
}

function deadlineText(inMs: number): string {
  return inMs > 0 ? `in ${durationText(inMs)}` : 'at once'
}

/** Namespaces of one job each that are older than jobs are, with no live pod. */
export function orphanedNamespaces(input: AuditInput): readonly Finding[] {
  const { cluster, takenAt } = input.snapshot
  if (!isWholeFleet(input.snapshot)) return []
  const live = new Set(
    cluster.pods.items
      .filter(({ phase }) => phase !== 'Succeeded' && phase !== 'Failed')
      .map(({ namespace }) => namespace),
  )
  return cluster.namespaces.items.flatMap((namespace) => {
    const { name, createdAt, deletedAt } = namespace
    const ageMs = createdAt === null ? 0 : takenAt - createdAt
    if (!isJobNamespace(name) || live.has(name) || deletedAt !== null || ageMs < namespaceAgeMs) return []
    return [
      findingOf(orphanedJobNamespace, {
        severity: 'notice',
        subject: subjectOf('namespace', { namespace: name, name }),
        confidence: 'likely',
        summary: `Namespace ${name} was made for a job ${durationText(ageMs)} ago, and nothing runs in it.`,
        evidence: [evidenceOf(cluster.namespaces, `made ${durationText(ageMs)} ago, no live pod`)],
        nextAllowedAction: {
          kind: 'person',
          text: 'See what is left in it; remove it where the job is over at GitLab.',
          command: null,
        },
      }),
    ]
  })
}
