import { busyboxImage } from '../../cluster/index.ts'
import { usageLabel } from '../metrics.ts'
import type { Situation } from '../situation.ts'
import { closedTolerated, type Json, type Stage } from '../stage.ts'

const autoscalers = '/apis/autoscaling/v2/horizontalpodautoscalers'

/** A manager of runners with an autoscaler; its controller and its conditions are Kubernetes' own. */
export const healthyScaling: readonly Situation[] = [
  {
    name: 'scaled',
    how: 'an autoscaler is at its maximum, and the pods use what they should',
    classes: [],
    make: (stage) =>
      scaled(
        stage,
        '10m',
        ({ currentReplicas, conditions }) => currentReplicas === 1 && isActive(conditions),
      ),
  },
]

export const brokenScaling: readonly Situation[] = [
  {
    name: 'scaled-out',
    how: 'an autoscaler is at its maximum, and the pods use ten times what they should',
    classes: ['hpa-at-max'],
    make: (stage) => scaled(stage, '100m', ({ conditions }) => isLimited(conditions)),
  },
]

async function scaled(stage: Stage, usage: string, isThere: (status: Json) => boolean): Promise<void> {
  const labels = { app: 'manager', [usageLabel]: usage }
  const container = { name: 'manager', image: busyboxImage, command: ['sleep', '3600'] }
  await stage.make('/apis/apps/v1/deployments', {
    metadata: { name: 'manager' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'manager' } },
      template: {
        metadata: { labels },
        spec: {
          tolerations: closedTolerated,
          terminationGracePeriodSeconds: 0,
          containers: [{ ...container, resources: { requests: { cpu: '10m' } } }],
        },
      },
    },
  })
  const target = { type: 'Utilization', averageUtilization: 100 }
  await stage.make(autoscalers, {
    metadata: { name: 'manager' },
    spec: {
      minReplicas: 1,
      maxReplicas: 1,
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'manager' },
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
    },
  })
  await stage.objectThat(`${autoscalers}/manager`, ({ status }) => isThere(status ?? {}))
}

function isActive(conditions: readonly Json[] = []): boolean {
  return conditions.some(({ type, status }) => type === 'ScalingActive' && status === 'True')
}

function isLimited(conditions: readonly Json[] = []): boolean {
  return conditions.some(({ type, reason }) => type === 'ScalingLimited' && reason === 'TooManyReplicas')
}
