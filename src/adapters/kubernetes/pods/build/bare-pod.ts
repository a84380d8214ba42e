import { annotations, evidenceFinalizer, labels, manager } from '../names.ts'
import type { PodManifest, PodOrder } from '../pod.ts'
import { daemonContainers, isolatedRunner, pollerContainer, singleRunner } from './containers.ts'
import { podSecurity } from './security.ts'
import type { RunnerUser } from './user.ts'
import { volumesOf } from './volumes.ts'

/** A pod as Holdfast makes it, before anything of its template. It has no owner: nothing may collect a busy pod. */
export function barePod(
  { runner, pool, plan, site }: Omit<PodOrder, 'avoidNodes'>,
  user: RunnerUser,
): PodManifest {
  const ingredients = { pool, plan, site, user }
  const isIsolated = plan.shape === 'isolated'
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: runner,
      namespace: site.namespace,
      labels: {
        [labels.managedBy]: manager,
        [labels.pool]: pool,
        [labels.runner]: runner,
        [labels.shape]: plan.shape,
      },
      annotations: { [annotations.host]: site.hostId },
      finalizers: [evidenceFinalizer],
    },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: Math.ceil(plan.stopGraceMs / 1000),
      serviceAccountName: site.serviceAccount,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      ...(plan.runtimeClass !== null && { runtimeClassName: plan.runtimeClass }),
      securityContext: podSecurity,
      initContainers: [
        ...daemonContainers(ingredients),
        ...(isIsolated ? [pollerContainer(ingredients)] : []),
      ],
      containers: [isIsolated ? isolatedRunner(ingredients) : singleRunner(ingredients)],
      volumes: volumesOf(plan, site),
    },
  }
}
