import { isJobPod } from '../../gitlab/index.ts'
import type { PodFact } from '../../snapshot/index.ts'
import type { GitlabOrphansScope, PodsReading } from './facts.ts'

/** One pod of a namespace: whether it may be an orphan, or why it stays. */
interface OrphanSelection {
  readonly pod: PodFact
  readonly isChosen: boolean
  readonly why: string
}

/** Job pods of these namespaces. Whether one has lost its manager, and its job is over, is asked by gates. */
export function selectOrphans(
  { pods }: PodsReading,
  { namespaces }: Pick<GitlabOrphansScope, 'namespaces'>,
): readonly OrphanSelection[] {
  return pods
    .filter((pod) => namespaces.includes(pod.namespace) && isJobPod(pod))
    .map((pod) =>
      pod.deletedAt === null
        ? { pod, isChosen: true, why: 'its manager is gone, and so is its job: nobody removes it' }
        : { pod, isChosen: false, why: 'it is being deleted already' },
    )
}
