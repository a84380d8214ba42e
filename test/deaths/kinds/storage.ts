import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'

const fill = (file: string) => `sleep 1; dd if=/dev/zero of=${file} bs=1M count=60; sleep 200`
const mounted = (emptyDir: object) => ({
  template: {
    spec: {
      containers: [{ name: 'runner', volumeMounts: [{ name: 'small', mountPath: '/small' }] }],
      volumes: [{ name: 'small', emptyDir }],
    },
  },
})

export const storageKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'ephemeral-storage',
    how: 'its job writes more than the limit on ephemeral storage of its container',
    classes: ['evicted-ephemeral-storage'],
    pool: () => ({ resources: { limits: { 'ephemeral-storage': '20Mi' } } }),
    cause: (stage) => stage.running(fill('full')),
  },
  {
    name: 'emptydir-limit',
    how: 'its job writes more into an emptyDir than its sizeLimit',
    classes: ['evicted-ephemeral-storage'],
    pool: () => mounted({ sizeLimit: '10Mi' }),
    cause: (stage) => stage.running(fill('/small/full')),
  },
  {
    name: 'disk-full',
    how: 'its work folder lies on a volume of 4 MiB that is full, and the runner fails with ENOSPC',
    classes: ['disk-full'],
    pool: ({ runnerCommand }) => ({
      ...mounted({ medium: 'Memory', sizeLimit: '4Mi' }),
      command: [
        ...['sh', '-c', 'dd if=/dev/zero of=/small/full bs=64k 2>/dev/null; "$@" --work-folder /small/work'],
        ...['sh', ...runnerCommand],
      ],
    }),
    cause: (stage) => stage.begun('exit 0'),
  },
]
