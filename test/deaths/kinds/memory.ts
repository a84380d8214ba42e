import { busyboxImage } from '../../cluster/index.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { launched } from './programs.ts'

const limited = (memory: string) => ({ resources: { limits: { memory } } })
/** Many processes that are smaller than the runner: the kernel takes the largest. */
const small = 'dd if=/dev/zero bs=15M count=1 | sleep 60 &'
const crowd = `sleep 1; for i in $(seq 12); do ${small} done; sleep 60`
/** One that is larger than the runner. */
const large = 'sleep 1; dd if=/dev/zero of=/dev/null bs=400M count=1'

const sharedMount = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] }
const sidecar = {
  name: 'daemon',
  image: busyboxImage,
  restartPolicy: 'Always',
  ...sharedMount,
  command: [
    ...['sh', '-c'],
    '[ ! -e /shared/gone ] || sleep 600; until [ -e /shared/go ]; do sleep 0.2; done; touch /shared/gone; exec dd if=/dev/zero of=/dev/null bs=200M count=1',
  ],
  resources: { limits: { memory: '24Mi' } },
}

export const memoryKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'oom-runner',
    how: 'the job fills the memory limit of the container, and the kernel kills the runner',
    classes: ['container-oom'],
    pool: () => limited('192Mi'),
    cause: (stage) => stage.running(crowd),
    // No agent saw when: the kubelet says OOMKilled also for an older kill.
    holds: ({ confidence }) => (confidence === 'likely' ? null : `confidence ${confidence}`),
  },
  {
    name: 'killed-after-survived-oom',
    how: 'a program of the job is killed at the limit and the runner lives on; 10 s later it is killed from its node',
    classes: ['sigkill-unknown', 'container-oom'],
    pool: () => limited('256Mi'),
    cause: async (stage) => {
      const name = await stage.running(`${large} || true; sleep 300`)
      await stage.pause(12_000)
      await stage.signal(name, 'SIGKILL')
      return name
    },
    // No agent saw when: it may not be called proven, and the older kill is said.
    holds: ({ confidence, unknown }) => {
      if (confidence !== 'likely') return `confidence ${confidence}`
      return unknown.join(' ').includes('long before its end')
        ? null
        : 'it does not say that the kill may be older'
    },
  },
  {
    name: 'oom-of-a-volume-in-memory',
    how: 'the job fills a volume in memory until the memory limit kills; the volume is named',
    classes: ['container-oom', 'guest-oom'],
    pool: (stage) => ({
      ...limited('192Mi'),
      ...launched(stage),
      template: {
        spec: {
          containers: [{ name: 'runner', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
          volumes: [{ name: 'scratch', emptyDir: { medium: 'Memory' } }],
        },
      },
    }),
    cause: (stage) => stage.running('sleep 1; dd if=/dev/zero of=/scratch/full bs=1M count=400; sleep 60'),
    holds: ({ because }) => (because.join(' ').includes('scratch') ? null : 'it does not name the volume'),
  },
  {
    name: 'oom-sidecar',
    how: 'a container next to it is killed at its own limit, and the runner ends with 1 after that',
    classes: ['container-oom'],
    pool: (stage) => ({
      ...launched(stage, 'exit 1'),
      template: {
        spec: {
          initContainers: [sidecar],
          containers: [{ name: 'runner', ...sharedMount }],
          volumes: [{ name: 'shared', emptyDir: {} }],
        },
      },
    }),
    cause: (stage) => stage.running('touch /shared/go; sleep 5; exit 1'),
    holds: ({ because }) => (because.join(' ').includes('daemon') ? null : 'it does not name the container'),
  },
  {
    name: 'oom-grandchild-survived',
    how: 'a program of the job is killed at the limit; its step fails, the runner reports that and ends with 0',
    classes: ['clean'],
    pool: () => limited('256Mi'),
    cause: (stage) => stage.running(large),
    holds: ({ because }) => (because.join(' ').includes('memory limit') ? null : 'it is silent about memory'),
  },
  {
    name: 'oom-grandchild',
    how: 'a program of the job is killed at the limit, and the launcher ends with 1 for that',
    classes: ['guest-oom'],
    pool: (stage) => ({ ...limited('256Mi'), ...launched(stage, 'exit 1') }),
    cause: (stage) => stage.running(large),
  },
]
