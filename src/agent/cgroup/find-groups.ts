import path from 'node:path'
import type { KernelFiles } from '../../ports/host-agent.ts'
import type { Hierarchies } from './hierarchies.ts'
import { holdsLocals, holdsPods, podUidOf } from './pod-of.ts'

/** How deep below the mount the kubelet's groups are looked for: it may itself stand in a group (`--cgroup-root`). */
const DEPTH_MAX = 5
/** Groups of one folder that are looked at; a machine has some dozens of services. */
const WIDTH_MAX = 2_000

const KATA_OVERHEAD = 'kata_overhead'

/** Where groups of pods or of local runners stand, relative to each hierarchy's mount. */
export interface Bases {
  readonly pods: readonly string[]
  readonly locals: readonly string[]
  /** Kata can be set to count its hypervisors apart from their pods. */
  readonly hasKataOverhead: boolean
}

/** Looks for the folders in which groups come and go; slow, for once in a while. Null where nothing can be listed. */
export function findBases(files: KernelFiles, { memory }: Hierarchies, below: string): Bases | null {
  const pods: string[] = []
  const locals: string[] = []
  let hasKataOverhead = false
  const look = (at: string, depth: number, isInPods: boolean): boolean => {
    const names = files.folders(path.join(memory, at))
    if (names === null) return false
    for (const name of names.slice(0, WIDTH_MAX)) {
      const inner = path.join(at, name)
      if (name === KATA_OVERHEAD) hasKataOverhead = true
      else if (holdsPods(name)) {
        pods.push(inner)
        look(inner, depth + 1, true)
      } else if (isInPods) continue
      else if (holdsLocals(name)) locals.push(inner)
      else if (depth < DEPTH_MAX && podUidOf(name) === null) look(inner, depth + 1, false)
    }
    return true
  }
  if (!look(below, 0, false)) return null
  // Of two that claim the same pod the outer one is the kubelet's: inner ones may be of a job's own making.
  return { pods: pods.sort((a, b) => depthOf(a) - depthOf(b)), locals, hasKataOverhead }
}

function depthOf(at: string): number {
  return at.split('/').length
}

/** The groups there are now, by the pod's UID or the local runner's name. */
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
