import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { Resources } from '../pod.ts'

const DISK = 'ephemeral-storage'
const DISK_REQUEST = '1Gi'
/** A job that fills its node's disk takes the other jobs of that node with it. */
const DISK_LIMIT = '20Gi'

/** A shell and curl; both ends are said, so that quotas on either do not refuse the pod. */
export const pollerResources: Resources = {
  requests: { cpu: '10m', memory: '16Mi', [DISK]: '8Mi' },
  limits: { cpu: '500m', memory: '64Mi', [DISK]: '32Mi' },
}

/** Copies some hundred MiB of files. */
export const externalsResources: Resources = {
  requests: { cpu: '100m', memory: '32Mi', [DISK]: '512Mi' },
  limits: { cpu: '2', memory: '512Mi', [DISK]: '2Gi' },
}

/** What the plan says, and a bound for the disk where it says none. */
export function runnerResources({ resources: { requests, limits } }: Pick<PodPlan, 'resources'>): Resources {
  const asked = requests[DISK]
  if (limits[DISK] !== undefined) return { requests, limits }
  return {
    requests: { ...requests, [DISK]: asked ?? DISK_REQUEST },
    limits: { ...limits, [DISK]: asked ?? DISK_LIMIT },
  }
}

/** What a job builds in containers counts here, so the plan's bounds hold for it as well. */
export function daemonResources(plan: Pick<PodPlan, 'resources'>): Resources {
  const limits = runnerResources(plan).limits ?? {}
  const bounds = [DISK, 'memory'].flatMap((name) =>
    limits[name] === undefined ? [] : [[name, limits[name]]],
  )
  return { requests: { cpu: '100m' }, limits: Object.fromEntries(bounds) }
}

/** How much a folder of the job may hold. */
export function diskLimit(plan: Pick<PodPlan, 'resources'>): string {
  return runnerResources(plan).limits?.[DISK] ?? DISK_LIMIT
}
