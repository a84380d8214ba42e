import { readFile } from 'node:fs/promises'
import { reasonOf } from '../../../domain/reason.ts'
import { type Hierarchy, parseHierarchies } from './hierarchy.ts'
import { prepareV1 } from './prepare-v1.ts'
import { prepareV2 } from './prepare-v2.ts'
import { type CgroupReport, type Prepared, uniqueFolders } from './types.ts'

/**
 * Creates the folder below which runners get their groups, under the group that Holdfast itself is in, and
 * proves with a real process that it can be entered. Never throws: `why` has the reason for each refusal.
 */
export async function prepareCgroups(baseName: string): Promise<Prepared> {
  const hierarchies = await readHierarchies()
  if (typeof hierarchies === 'string') return { version: null, bases: {}, why: [hierarchies] }
  const unified = hierarchies.find((hierarchy) => hierarchy.version === 2)
  const split = hierarchies.filter((hierarchy) => hierarchy.version === 1)
  // On a hybrid machine version 2 is mounted too, without the controllers: then version 1 has them.
  if (split.some((hierarchy) => hierarchy.controllers.includes('memory'))) return prepareV1(split, baseName)
  if (unified !== undefined) return prepareV2(unified, baseName)
  return { version: null, bases: {}, why: ['no cgroup hierarchy is mounted on this machine'] }
}

/** The result of `prepareCgroups` for the log, the status page and `doctor`. */
export function reportOf({ version, bases, why }: Prepared): CgroupReport {
  return {
    version: Object.keys(bases).length === 0 ? null : version,
    memory: bases.memory !== undefined,
    cpus: bases.cpu !== undefined,
    pids: bases.pids !== undefined,
    folders: uniqueFolders(bases),
    why,
  }
}

async function readHierarchies(): Promise<readonly Hierarchy[] | string> {
  try {
    const [mounts, own] = await Promise.all([
      readFile('/proc/self/mountinfo', 'utf8'),
      readFile('/proc/self/cgroup', 'utf8'),
    ])
    return parseHierarchies(mounts, own)
  } catch (error) {
    return `cgroups cannot be looked up: ${reasonOf(error)}`
  }
}
