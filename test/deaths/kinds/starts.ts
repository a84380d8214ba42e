import { busyboxImage } from '../../cluster/index.ts'
import type { DeathKind } from '../kind.ts'
import type { PodStage } from '../stage.ts'
import { hurried } from './programs.ts'

const runnerWith = (more: object) => ({ containers: [{ name: 'runner', ...more }] })
const missingKey = { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a' } } }] }
const failing = { name: 'prepare', image: busyboxImage, command: ['sh', '-c', 'echo no good >&2; exit 3'] }
const begun = (stage: PodStage) => stage.begun()

export const startKinds: readonly DeathKind<PodStage>[] = [
  {
    name: 'image-missing',
    how: 'an image that no registry has',
    classes: ['image-pull'],
    pool: () => ({ ...hurried, image: 'holdfast.test/nothing:1' }),
    cause: begun,
  },
  {
    name: 'command-missing',
    how: 'a command that is not in the image',
    classes: ['config-error'],
    pool: () => ({ ...hurried, command: ['/no/such/program'] }),
    cause: begun,
  },
  {
    name: 'command-not-executable',
    how: 'a command that its user may not execute',
    classes: ['config-error'],
    pool: () => ({ ...hurried, command: ['/etc/passwd'] }),
    cause: begun,
  },
  {
    name: 'exit-127',
    how: 'a launcher that starts a program which is not there: exit code 127 of the shell',
    classes: ['config-error'],
    pool: () => ({ command: ['sh', '-c', '/no/such/program', 'sh'] }),
    cause: begun,
  },
  {
    name: 'key-missing',
    how: 'a key of a ConfigMap that is not there',
    classes: ['config-error'],
    pool: () => ({ ...hurried, template: { spec: runnerWith(missingKey) } }),
    cause: begun,
  },
  {
    name: 'volume-missing',
    how: 'a volume of a ConfigMap that is not there: the kubelet cannot mount it',
    classes: ['sandbox-failed'],
    pool: () => ({
      ...hurried,
      template: {
        spec: {
          ...runnerWith({ volumeMounts: [{ name: 'settings', mountPath: '/settings' }] }),
          volumes: [{ name: 'settings', configMap: { name: 'none' } }],
        },
      },
    }),
    cause: begun,
  },
  {
    name: 'preparation-fails',
    how: 'a container of the template that runs first ends with 3',
    classes: ['config-error', 'never-started'],
    pool: () => ({ ...hurried, template: { spec: { initContainers: [failing] } } }),
    cause: begun,
  },
  {
    name: 'no-node-takes-it',
    how: 'a volume claim that is not there: the scheduler places it nowhere',
    classes: ['never-started'],
    pool: () => ({
      ...hurried,
      template: { spec: { volumes: [{ name: 'cache', persistentVolumeClaim: { claimName: 'none' } }] } },
    }),
    cause: begun,
  },
]
