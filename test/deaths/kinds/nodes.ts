import { pauseImage } from '../../cluster/images/index.ts'
import { until } from '../../cluster/machine/until.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { hurried, onNode } from './programs.ts'

const kept = 'holdfast.test/kept:1'
const images = ['ctr', '--namespace', 'k8s.io', 'images']
const givenUpWithinMs = 60_000
const endsWithinMs = 180_000
const lost = { node: 'node-1', network: 'pods-1' }
const broken = 'node-2'
const frozen = 'node-3'

/** Each has a node of its own, so that they can go on side by side. */
export const nodeKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'node-gone',
    how: 'the kubelet of its node is killed, its network is cut and the node is deleted',
    classes: ['node-lost'],
    when: 'nodes',
    isSeenLate: true,
    pool: () => ({ template: { spec: onNode(lost.node) } }),
    cause: async (stage) => {
      const { parts } = stage.world.cluster
      const name = await stage.running('sleep 600')
      await parts.kill(`${lost.node}-kubelet`)
      await stage.inNode(lost.node, ['ip', 'link', 'set', lost.network, 'down'])
      await stage.api('DELETE', `/api/v1/nodes/${lost.node}`)
      await sealed(stage, name)
      await stage.inNode(lost.node, ['ip', 'link', 'set', lost.network, 'up'])
      await stage.world.cluster.startAgain(`${lost.node}-kubelet`)
      return name
    },
  },
  {
    name: 'sandbox-failed',
    how: 'its node lost the image of the sandbox, and cannot have it',
    classes: ['sandbox-failed'],
    when: 'nodes',
    pool: () => ({ ...hurried, template: { spec: onNode(broken) } }),
    cause: async (stage) => {
      await stage.inNode(broken, [...images, 'tag', pauseImage, kept])
      await stage.inNode(broken, [...images, 'rm', '--sync', pauseImage])
      try {
        const name = await stage.begun()
        await sealed(stage, name)
        return name
      } finally {
        await stage.inNode(broken, [...images, 'tag', kept, pauseImage])
      }
    },
  },
  {
    name: 'containerd-frozen',
    how: 'the containerd of its node hangs while it should start; it goes on when the runner was given up',
    classes: ['never-started', 'sandbox-failed', 'terminated'],
    when: 'nodes',
    isSeenLate: true,
    pool: () => ({ ...hurried, template: { spec: onNode(frozen) } }),
    cause: async (stage) => {
      const { parts } = stage.world.cluster
      await parts.signal(`${frozen}-containerd`, 'SIGSTOP')
      try {
        const name = await stage.begun()
        await until(`${name} is given up`, givenUpWithinMs, async () => {
          return (await stage.ledger.state(name)) === 'fenced' || (await stage.ledger.sealed(name))
        })
        return name
      } finally {
        await parts.signal(`${frozen}-containerd`, 'SIGCONT')
      }
    },
  },
]

async function sealed(stage: PodStage, name: string): Promise<void> {
  await until(`the end of ${name} is on record`, endsWithinMs, () => stage.ledger.sealed(name))
}
