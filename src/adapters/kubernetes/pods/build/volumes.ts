import type { PodPlan } from '../../../../domain/pool/index.ts'
import { paths, volumes } from '../names.ts'
import type { PodSite, Volume, VolumeMount } from '../pod.ts'
import { diskLimit } from './resources.ts'

/** A job's configuration has some KiB, the launcher as well. */
const jitSizeLimit = '1Mi'
const socketSizeLimit = '1Mi'
const externalsSizeLimit = '2Gi'

/** Where it is mounted in who polls. */
export const tokenMount: VolumeMount = { name: volumes.token, mountPath: paths.token, readOnly: true }
export const jitMount: VolumeMount = { name: volumes.jit, mountPath: paths.jit }

const work: VolumeMount = { name: volumes.work, mountPath: paths.work }
const socket: VolumeMount = { name: volumes.docker, mountPath: paths.docker }
const externals: VolumeMount = { name: volumes.externals, mountPath: paths.externals }

/** The volumes that the runner shares with its Docker daemon, at the same paths in both. */
export const sharedMounts: readonly VolumeMount[] = [work, socket, externals]
export const daemonMounts: readonly VolumeMount[] = [
  ...sharedMounts,
  { name: volumes.dockerData, mountPath: paths.dockerData },
]
export const externalsMount: VolumeMount = { ...externals, mountPath: paths.externalsCopy }

/** The token and the job's configuration are in memory: nothing of them reaches a disk. */
export function volumesOf(plan: PodPlan, { audience, tokenSeconds }: PodSite): Volume[] {
  const token = { serviceAccountToken: { audience, expirationSeconds: tokenSeconds, path: 'token' } }
  const ours: Volume[] = [
    { name: volumes.token, projected: { sources: [token] } },
    { name: volumes.jit, emptyDir: { medium: 'Memory', sizeLimit: jitSizeLimit } },
  ]
  if (plan.dind === null) return ours
  return [
    ...ours,
    { name: volumes.work, emptyDir: { sizeLimit: diskLimit(plan) } },
    { name: volumes.docker, emptyDir: { medium: 'Memory', sizeLimit: socketSizeLimit } },
    { name: volumes.dockerData, emptyDir: { sizeLimit: diskLimit(plan) } },
    { name: volumes.externals, emptyDir: { sizeLimit: externalsSizeLimit } },
  ]
}
