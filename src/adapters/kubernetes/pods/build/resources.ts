import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { Resources } from '../pod.ts'

const disk = 'ephemeral-storage'
const diskRequest = '1Gi'
/** A job that fills its node's disk takes the other jobs of that node with it. */
const defaultDiskLimit = '20Gi'

/** A shell and curl; both ends are said, so that quotas on either do not refuse the pod. */
export const pollerResources: Resources = {
  requests: { cpu: '10m', memory: '16Mi', [disk]: '8Mi' },
  limits: { cpu: '500m', memory: '64Mi', [disk]: '32Mi' },
}

/** Copies some hundred MiB of files. */
export const externalsResources: Resources = {
  requests: { cpu: '100m', memory: '32Mi', [disk]: '512Mi' },
  limits: { cpu: '2', memory: '512Mi', [disk]: '2Gi' },
}

/** The plan's resources, with a bound for the disk where it has none. */
export function runnerResources({ resources: { requests, limits } }: Pick<PodPlan, 'resources'>): Resources {
  const asked = requests[disk]
  if (limits[disk] !== undefined) return { requests, limits }
  return {
    requests: { ...requests, [disk]: asked ?? diskRequest },
    limits: { ...limits, [disk]: asked ?? defaultDiskLimit },
  }
}

/** The containers that a job starts count here, so the plan's bounds hold for them as well. */
export function daemonResources(plan: Pick<PodPlan, 'resources'>): Resources {
  const limits = runnerResources(plan).limits ?? {}
  const bounds = [disk, 'memory'].flatMap((name) =>
    limits[name] === undefined ? [] : [[name, limits[name]]],
  )
  return { requests: { cpu: '100m' }, limits: Object.fromEntries(bounds) }
}

/** How much a folder of the job may hold. */
export function diskLimit(plan: Pick<PodPlan, 'resources'>): string {
  return runnerResources(plan).limits?.[disk] ?? defaultDiskLimit
}
