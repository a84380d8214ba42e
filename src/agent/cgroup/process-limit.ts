import type { KernelFiles } from '../../ports/host-agent.ts'
import type { GroupReading } from '../ring/fields.ts'
import { countsBelow } from './counts-below.ts'
import { fieldIn, numberIn } from './values.ts'

/** A limit changes seldom. */
const limitEvery = 10

/** The process limit of a pod, and the number of forks that the kernel refused. */
export interface ProcessLimit {
  follow(): void
  read(): Pick<GroupReading, 'processesMax' | 'forksRefused'>
  close(): void
}

/** Reads the pids controller of a pod's group and of its containers; null where it is not mounted. */
export function openProcessLimit(files: KernelFiles, folder: string | null): ProcessLimit | null {
  if (folder === null) return null
  const limit = countsBelow(files, folder, 'pids.max', numberIn, { join: least, readEvery: limitEvery })
  const refused = countsBelow(files, folder, 'pids.events', (text) => fieldIn(text, 'max'), { join: once })
  return {
    follow() {
      limit.follow()
      refused.follow()
    },
    read: () => ({ processesMax: limit.read(), forksRefused: refused.read() }),
    close() {
      limit.close()
      refused.close()
    },
  }
}

/** The pod's own limit, or that of a container which has a lower one. */
function least(own: number | null, below: readonly number[]): number | null {
  const all = [...(own === null ? [] : [own]), ...below]
  return all.length === 0 ? null : Math.min(...all)
}

/**
 * Version 2 counts a refusal in the group that is at its limit and in those above it (since Linux 6.11); version 1 and
 * older kernels count it in the group of the caller. So a pod's count includes its containers' or none of them.
 */
function once(own: number | null, below: readonly number[]): number | null {
  const ofContainers = below.reduce((one, other) => one + other, 0)
  if (own === null) return below.length === 0 ? null : ofContainers
  return Math.max(own, ofContainers)
}
