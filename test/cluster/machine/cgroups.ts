import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Hierarchy, parseHierarchies } from '../../../src/adapters/process/cgroup/hierarchy.ts'
import { membersOf, removeGroup } from '../../../src/adapters/process/cgroup/index.ts'
import { treeOf } from '../../../src/adapters/process/cgroup/members.ts'
import { exists } from '../../support/go-build.ts'

/** The cgroup of the cluster's own programs, next to the nodes' cgroups for pods. */
const programsGroup = 'programs'

/** Makes the groups of a cluster in every hierarchy; gives the one that its programs are to join. */
export async function createGroups(id: string, nodes: readonly string[]): Promise<string> {
  const all = await hierarchies()
  for (const hierarchy of all) {
    const top = await createGroup(hierarchy, path.join(hierarchy.mount, id))
    for (const node of nodes) await createGroup(hierarchy, path.join(top, node))
  }
  const programs = programsGroupOf(id, all)
  await mkdir(programs, { recursive: true })
  return programs
}

/** The group that the programs of a cluster run in: their children cannot leave it unseen. */
export async function programsGroupFolder(id: string): Promise<string> {
  return programsGroupOf(id, await hierarchies())
}

/** The pids in all groups of a cluster. */
export async function groupMembers(id: string): Promise<number[]> {
  return (await groupsOf(id)).flatMap(membersOf)
}

/** Groups of a cluster that are there. */
export async function groupsOf(id: string): Promise<string[]> {
  const found: string[] = []
  for (const { mount } of await hierarchies()) {
    if (await exists(path.join(mount, id))) found.push(path.join(mount, id))
  }
  return found
}

/** A frozen process does not even die: lets everything of the cluster run again. */
export async function thawGroups(id: string): Promise<void> {
  for (const folder of (await groupsOf(id)).flatMap(treeOf)) {
    await writeFile(path.join(folder, 'freezer.state'), 'THAWED', { flag: 'r+' }).catch(() => undefined)
    await writeFile(path.join(folder, 'cgroup.freeze'), '0', { flag: 'r+' }).catch(() => undefined)
  }
}

/** Removes the groups of a cluster whose processes have ended; says in words what stays. */
export async function removeGroups(id: string): Promise<string[]> {
  const problems = await Promise.all((await groupsOf(id)).map(removeGroup))
  return problems.filter((problem) => problem !== null)
}

async function hierarchies(): Promise<readonly Hierarchy[]> {
  const [mounts, own] = await Promise.all(
    ['/proc/self/mountinfo', '/proc/self/cgroup'].map((file) => readFile(file, 'utf8')),
  )
  const found = parseHierarchies(mounts ?? '', own ?? '')
  if (found.length === 0)
    throw new Error('No cgroup hierarchy is mounted below /sys/fs/cgroup: pods cannot run here.')
  return found
}

/** One hierarchy is enough to find them in; the unified one is there on all but very old systems. */
function programsGroupOf(id: string, all: readonly Hierarchy[]): string {
  const { mount } = all.find(({ version }) => version === 2) ?? (all[0] as Hierarchy)
  return path.join(mount, id, programsGroup)
}

async function createGroup(hierarchy: Hierarchy, folder: string): Promise<string> {
  if (hierarchy.version === 2) await delegate(path.dirname(folder))
  await mkdir(folder, { recursive: true })
  if (hierarchy.controllers.includes('cpuset')) await inheritCpus(folder)
  if (hierarchy.version === 2) await delegate(folder)
  return folder
}

/** A new cpuset of version 1 has no processor, and nothing can run in it. */
async function inheritCpus(folder: string): Promise<void> {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    await writeFile(path.join(folder, file), await readFile(path.join(folder, '..', file)))
  }
}

/** The kubelet finds its controllers only where each group above passes them on. */
async function delegate(folder: string): Promise<void> {
  const controllers = (await readFile(path.join(folder, 'cgroup.controllers'), 'utf8'))
    .split(/\s+/)
    .filter(Boolean)
  for (const controller of controllers) {
    await writeFile(path.join(folder, 'cgroup.subtree_control'), `+${controller}`).catch((error: Error) => {
      const what = `${folder} does not pass on the controller ${controller} (${error.message})`
      throw new Error(`${what}: start the cluster on the machine itself, outside of a container.`, {
        cause: error,
      })
    })
  }
}
