import { makePriorityClass, nodeName } from '../../cluster/index.ts'
import { replayArc } from '../replay-arc.ts'
import type { Situation } from '../situation.ts'
import { isRunning, type Json, type Stage } from '../stage.ts'

const firstNode = { 'kubernetes.io/hostname': nodeName(1) }

/** Limits that leave room, and an end that is no fault of the node. */
export const healthyFleet: readonly Situation[] = [
  {
    name: 'roomy',
    how: 'runners of ARC with a LimitRange that fills in nothing but requests, and a quota of which a part is left',
    classes: [],
    async make(stage) {
      await limitRange(stage, { defaultRequest: { memory: '8Mi' } })
      await replayArc(stage, '0.14.2/a-healthy-idle')
      await quota(stage, { pods: '20', 'requests.memory': '1Gi' })
    },
  },
  {
    name: 'over-own-limit',
    how: 'a pod writes more than its own limit on ephemeral storage, and is evicted for that alone',
    classes: [],
    async make(stage) {
      const command = ['sh', '-c', 'dd if=/dev/zero of=/full bs=1M count=40; sleep 3600']
      await stage.pod('writer', {}, { command, resources: { limits: { 'ephemeral-storage': '10Mi' } } })
      await stage.podThat('writer', ({ status }) => status.reason === 'Evicted')
    },
  },
]

export const brokenFleet: readonly Situation[] = [
  {
    name: 'limit-range',
    how: 'a LimitRange gives limits to runners of ARC whose template has none',
    classes: ['effective-limit-drift'],
    async make(stage) {
      await limitRange(stage, { default: { memory: '256Mi' } })
      await replayArc(stage, '0.14.2/a-healthy-idle')
    },
  },
  {
    name: 'oom',
    how: 'a container is killed at its memory limit',
    classes: ['container-oom'],
    async make(stage) {
      await stage.pod(
        'greedy',
        {},
        { command: ['tail', '/dev/zero'], resources: { limits: { memory: '32Mi' } } },
      )
      await stage.podThat('greedy', ({ status }) => endOf(status) === 'OOMKilled')
    },
  },
  {
    name: 'preempted',
    how: 'a pod of a higher priority takes the place of another',
    classes: ['priority-pressure'],
    async make(stage) {
      const cpu = (0.6 * (await cpuOfNode(stage))).toFixed(1)
      for (const [name, value] of [
        ['low', 1],
        ['high', 1_000],
      ] as const) {
        const priorityClassName = await priorityClass(stage, name, value)
        await stage.pod(
          name,
          { priorityClassName, nodeSelector: firstNode },
          { resources: { requests: { cpu } } },
        )
        await stage.podThat(name, isRunning)
      }
    },
  },
]

async function limitRange(stage: Stage, limits: object): Promise<void> {
  await stage.make('/api/v1/limitranges', {
    metadata: { name: 'runners' },
    spec: { limits: [{ type: 'Container', ...limits }] },
  })
}

async function quota(stage: Stage, hard: object): Promise<void> {
  await stage.make('/api/v1/resourcequotas', { metadata: { name: 'runners' }, spec: { hard } })
}

/** Belongs to no namespace, and to its situation by its name; gives that. */
async function priorityClass({ cluster, namespace }: Stage, word: string, value: number): Promise<string> {
  const name = `${namespace}-${word}`
  await makePriorityClass(cluster.api, name, value)
  return name
}

async function cpuOfNode({ cluster }: Stage): Promise<number> {
  const { body } = await cluster.api.request('GET', `/api/v1/nodes/${nodeName(1)}`)
  return Number(body.status.allocatable.cpu)
}

function endOf(status: Json): string | undefined {
  return status.containerStatuses?.[0]?.state.terminated?.reason
}
