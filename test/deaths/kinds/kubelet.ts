import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { launched, shell } from './programs.ts'

const runnerWith = (more: object) => ({ template: { spec: { containers: [{ name: 'runner', ...more }] } } })
const failing = { exec: { command: ['sh', '-c', 'echo not well; exit 1'] } }
const mergePatch = 'application/merge-patch+json'
const taintKey = 'holdfast.test/repair'
/** The status that containerd gives a container whose task is gone after a reboot. */
const rebooted = { exitCode: 255, reason: 'Unknown' }

/** Ends of which a kubelet or the cluster says why, and ends that look like others. */
export const kubeletKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'post-start-hook-fails',
    how: 'the postStart hook of its template ends with 1, and the kubelet kills its container',
    classes: ['hook-failed'],
    pool: () => runnerWith({ lifecycle: { postStart: failing } }),
    cause: (stage) => stage.begun(),
  },
  {
    name: 'liveness-probe-fails',
    staged: 'last-words',
    how: 'it is killed from its node, with the events of a kubelet whose liveness probe failed: a pool may have none',
    classes: ['probe-failed'],
    cause: async (stage) => {
      const name = await stage.running()
      await stage.sayEvent(name, 'Unhealthy', 'Liveness probe failed: not well')
      await stage.sayEvent(name, 'Killing', 'Container runner failed liveness probe')
      await stage.signal(name, 'SIGKILL')
      return name
    },
    holds: ({ because }) =>
      because.join(' ').includes('not well') ? null : 'it does not say what the probe said',
  },
  {
    name: 'exit-143',
    how: 'its launcher ends with 143 by itself: no signal was sent',
    classes: ['terminated'],
    pool: () => shell('sleep 1; exit 143'),
    cause: (stage) => stage.begun(),
    holds: isLikely,
  },
  {
    name: 'exit-139',
    how: 'its launcher ends with 139 by itself: no signal was sent',
    classes: ['crash'],
    pool: () => shell('sleep 1; exit 139'),
    cause: (stage) => stage.begun(),
    holds: isLikely,
  },
  {
    name: 'taint-of-somebody',
    how: 'somebody puts a NoExecute taint of a key of their own on its node',
    classes: ['node-drained'],
    when: 'alone',
    cause: async (stage) => {
      const name = await stage.running()
      const node = `/api/v1/nodes/${await stage.nodeOf(name)}`
      const { spec } = await stage.api('GET', node)
      const taints = [...(spec.taints ?? []), { key: taintKey, effect: 'NoExecute' }]
      await stage.api('PATCH', node, { spec: { taints } }, mergePatch)
      try {
        await stage.sealed(name)
      } finally {
        await stage.api('PATCH', node, { spec: { taints: spec.taints ?? null } }, mergePatch)
      }
      return name
    },
    holds: ({ because }) => (because.join(' ').includes(taintKey) ? null : 'it does not name the taint'),
  },
  {
    name: 'pids-limit',
    how: 'its job starts processes until none more may be started in its group; the runner ends with 1',
    classes: ['pids-limit'],
    pool: (stage) => launched(stage, 'exit 1'),
    cause: async (stage) => {
      const name = await stage.running('sleep 4; for i in $(seq 200); do sleep 60 & done; exit 1')
      await stage.limitProcesses(name, 20)
      return name
    },
  },
  {
    name: 'log-unreadable',
    how: 'its log is removed from its node before it ends with 1: the kubelet says so in its place',
    classes: ['failed', 'unknown'],
    pool: (stage) => launched(stage, 'exit 1'),
    cause: async (stage) => {
      const name = await stage.running('sleep 6; exit 1')
      await stage.removeLogs(name)
      return name
    },
    holds: ({ outcome, ending }) => {
      if (outcome !== 'incomplete') return 'it is called complete'
      return ending?.tail.includes('/var/log/pods') ? "the kubelet's words stand as its own" : null
    },
  },
  {
    name: 'placeholder-of-a-reboot',
    staged: 'words',
    how: 'containerd’s placeholder for an end that it did not see, 255 with Unknown, is written into its status',
    classes: ['unknown', 'node-lost'],
    when: 'alone',
    cause: async (stage) => {
      const name = await stage.running()
      await stage.sayEnded(name, rebooted)
      return name
    },
    holds: ({ outcome, ending }) => {
      if (outcome !== 'incomplete') return 'it is called complete'
      return ending?.exitCode === null ? null : `it has the exit code ${ending?.exitCode}`
    },
  },
]

function isLikely({ confidence }: { readonly confidence: string }): string | null {
  return confidence === 'likely' ? null : `confidence ${confidence}`
}
