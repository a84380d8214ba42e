import type { Situation } from '../situation.ts'
import { everyTaint, refusedFor, type Stage, waitsWith } from '../stage.ts'

/** The kubelet's own words about a volume come within seconds; the audit gives a start a minute. */
const startGraceMs = 60_000

/** Pods that wait, each for one reason. */
export const pendingSituations: readonly Situation[] = [
  {
    name: 'memory',
    how: 'a pod asks for more memory than any node has',
    classes: ['insufficient-memory'],
    async make(stage) {
      await stage.pod('large', {}, { resources: { requests: { memory: '9Ti' } } })
      await stage.podThat('large', refusedFor(/Insufficient memory/))
    },
  },
  {
    name: 'selector',
    how: 'a pod selects nodes that are not there',
    classes: ['selector-mismatch'],
    async make(stage) {
      await stage.pod('picky', { nodeSelector: { 'holdfast.test/lane': 'none' }, tolerations: everyTaint })
      await stage.podThat('picky', refusedFor(/node affinity\/selector/))
    },
  },
  {
    name: 'taint',
    how: 'a pod tolerates no taint, and each node has one',
    classes: ['untolerated-taint'],
    async make(stage) {
      await stage.pod('shy', { tolerations: [] })
      await stage.podThat('shy', refusedFor(/untolerated taint/))
    },
  },
  {
    name: 'claim',
    how: 'a pod needs a claim of a storage class that is not there',
    classes: ['unbound-claim'],
    async make(stage) {
      await stage.make('/api/v1/persistentvolumeclaims', claim('scratch', 'none-such'))
      await stage.pod('waits', mounting({ persistentVolumeClaim: { claimName: 'scratch' } }))
      await stage.podThat('waits', refusedFor(/unbound immediate PersistentVolumeClaims/))
    },
  },
  {
    name: 'gate',
    how: 'a pod has a scheduling gate that nobody opens',
    classes: ['scheduling-gated'],
    async make(stage) {
      await stage.pod('gated', { schedulingGates: [{ name: 'holdfast.test/gate' }] })
      await stage.podThat('gated', ({ status }) => status.conditions?.[0]?.reason === 'SchedulingGated')
    },
  },
  {
    name: 'volume',
    how: 'a pod mounts a ConfigMap that is not there, for longer than a start takes',
    classes: ['volume-waiting'],
    async make(stage) {
      await stage.pod('stuck', mounting({ configMap: { name: 'none-such' } }), mounted)
      await stage.podThat('stuck', olderThan(startGraceMs))
    },
  },
  {
    name: 'config',
    how: 'a container takes a variable from a Secret that is not there',
    classes: ['config-error'],
    async make(stage) {
      const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'none-such', key: 'token' } } }]
      await stage.pod('unset', {}, { env })
      await stage.podThat('unset', waitsWith(/^CreateContainerConfigError$/))
    },
  },
  {
    name: 'image',
    how: 'a pod has an image that no registry serves',
    classes: ['image-pull-blocked'],
    async make(stage) {
      await stage.pod('imageless', {}, { image: 'registry.invalid/nothing:1' })
      await stage.podThat('imageless', waitsWith(/^(?:ErrImagePull|ImagePullBackOff)$/))
    },
  },
]

function claim(name: string, storageClassName: string): object {
  const resources = { requests: { storage: '1Gi' } }
  return { metadata: { name }, spec: { accessModes: ['ReadWriteOnce'], resources, storageClassName } }
}

function mounting(volume: object): object {
  return { volumes: [{ name: 'data', ...volume }] }
}

/** A kubelet waits only for volumes that a container mounts. */
const mounted = { volumeMounts: [{ name: 'data', mountPath: '/data' }] }

function olderThan(ageMs: number): Parameters<Stage['podThat']>[1] {
  return ({ status }) => Date.now() - Date.parse(status.startTime ?? new Date().toISOString()) > ageMs
}
