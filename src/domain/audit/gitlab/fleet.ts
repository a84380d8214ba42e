import { isJobPod, isManager } from '../../gitlab/index.ts'
import type { DeploymentFact, PodFact, Snapshot } from '../../snapshot/index.ts'

/** The parts of GitLab Runner in a cluster. */
export interface GitlabFleet {
  readonly deployments: readonly DeploymentFact[]
  readonly managers: readonly PodFact[]
  readonly jobPods: readonly PodFact[]
  /** Namespaces in which one of them stands. */
  readonly namespaces: ReadonlySet<string>
}

export function gitlabFleet({ cluster }: Snapshot): GitlabFleet {
  const deployments = cluster.deployments.items.filter(({ images }) => isManager(Object.values(images)))
  const managers = cluster.pods.items.filter(({ containers }) =>
    isManager(containers.map(({ image }) => image)),
  )
  const jobPods = cluster.pods.items.filter(isJobPod)
  const all = [...deployments, ...managers, ...jobPods]
  return { deployments, managers, jobPods, namespaces: new Set(all.map(({ namespace }) => namespace)) }
}
