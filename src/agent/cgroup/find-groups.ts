import path from 'node:path'
import type { KernelFiles } from '../../ports/host-agent.ts'
import type { Hierarchies } from './hierarchies.ts'
import { holdsLocals, holdsPods, podUidOf } from './pod-of.ts'

/** The depth below the mount to which the kubelet's groups are searched: it may have a root of its own (`--cgroup-root`). */
const defaultDepthMax = 5
/** The bound of groups that are read in one folder; a machine has some dozens of services. */
const widthMax = 2_000

const kataOverhead = 'kata_overhead'

/** The folders with groups of pods or of local runners, relative to each hierarchy's mount. */
export interface Bases {
  readonly pods: readonly string[]
  readonly locals: readonly string[]
  /** Kata can be configured to count its hypervisors separately from their pods. */
  readonly hasKataOverhead: boolean
}

/** Finds the folders in which groups come and go; slow, for rare calls. Null where nothing can be listed. */
export function findBases(files: KernelFiles, { memory }: Hierarchies, below: string): Bases | null {
  const pods: string[] = []
  const locals: string[] = []
  let hasKataOverhead = false
  const look = (at: string, depth: number, isInPods: boolean): boolean => {
    const names = files.folders(path.join(memory, at))
    if (names === null) return false
    for (const name of names.slice(0, widthMax)) {
      const inner = path.join(at, name)
      if (name === kataOverhead) hasKataOverhead = true
      else if (holdsPods(name)) {
        pods.push(inner)
        look(inner, depth + 1, true)
      } else if (isInPods) continue
      else if (holdsLocals(name)) locals.push(inner)
      else if (depth < defaultDepthMax && podUidOf(name) === null) look(inner, depth + 1, false)
    }
    return true
  }
  if (!look(below, 0, false)) return null
  // Of two groups with the same pod the outer one is the kubelet's: a job may have created the inner one.
  return { pods: pods.sort((a, b) => depthOf(a) - depthOf(b)), locals, hasKataOverhead }
}

function depthOf(at: string): number {
  return at.split('/').length
}

/** The present groups by the pod's UID or the local runner's name. */
export function findGroups(
  files: KernelFiles,
  { memory }: Hierarchies,
  { pods, locals }: Bases,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const base of pods) {
    for (const name of files.folders(path.join(memory, base)) ?? []) {
      const uid = podUidOf(name)
      if (uid !== null && !found.has(uid)) found.set(uid, path.join(base, name))
    }
  }
  for (const base of locals) {
    for (const name of files.folders(path.join(memory, base)) ?? [])
      if (!found.has(name)) found.set(name, path.join(base, name))
  }
  return found
}
