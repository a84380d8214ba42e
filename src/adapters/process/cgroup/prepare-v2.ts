import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { enterable } from './enter.ts'
import type { Hierarchy } from './hierarchy.ts'
import { removeGroup } from './remove.ts'
import { rightsReasonOf } from './rights-reason.ts'
import type { GroupFolders, Prepared } from './types.ts'

const wanted = ['memory', 'pids', 'cpu'] as const

/**
 * Version 2: a group that holds processes cannot give controllers to groups below it. Holdfast is in its own
 * group, so its parent is tried as well: that is the delegated one where the service manager puts Holdfast
 * into a group below it (systemd: DelegateSubgroup=).
 */
export async function prepareV2(unified: Hierarchy, baseName: string): Promise<Prepared> {
  const parents = unified.own === unified.mount ? [unified.own] : [unified.own, path.dirname(unified.own)]
  const why: string[] = []
  for (const parent of parents) {
    const base = path.join(parent, baseName)
    const result = await tryBase(parent, base)
    if (typeof result !== 'string') return { version: 2, ...result }
    why.push(result)
  }
  return { version: 2, bases: {}, why }
}

type Usable = { readonly bases: GroupFolders; readonly why: readonly string[] }

async function tryBase(parent: string, base: string): Promise<Usable | string> {
  try {
    await mkdir(base, { recursive: true })
  } catch (error) {
    return `${base} cannot be made: ${rightsReasonOf(error)}`
  }
  const refused = [...(await handDown(parent)), ...(await handDown(base))]
  const given = await wordsOf(path.join(base, 'cgroup.subtree_control'))
  const bases = Object.fromEntries(
    wanted.filter((controller) => given.includes(controller)).map((controller) => [controller, base]),
  )
  if (given.includes('cpu')) bases.cpuacct = base
  const problem =
    Object.keys(bases).length === 0
      ? `${base} gets no controllers: ${refused.join('; ') || 'none are available there'}`
      : await enterableBelow(base)
  if (problem === null) return { bases, why: refused }
  await removeGroup(base)
  return problem
}

/** Delegates the wanted controllers to the groups below; returns the reason for each that is refused. */
async function handDown(folder: string): Promise<string[]> {
  const given = await wordsOf(path.join(folder, 'cgroup.subtree_control'))
  const available = await wordsOf(path.join(folder, 'cgroup.controllers'))
  const refused: string[] = []
  for (const controller of wanted.filter((name) => !given.includes(name))) {
    if (!available.includes(controller)) {
      refused.push(`${controller}: not available in ${folder}`)
      continue
    }
    try {
      await writeFile(path.join(folder, 'cgroup.subtree_control'), `+${controller}`)
    } catch (error) {
      refused.push(`${controller}: ${rightsReasonOf(error)}`)
    }
  }
  return refused
}

async function enterableBelow(base: string): Promise<string | null> {
  const probe = path.join(base, 'probe')
  try {
    await mkdir(probe, { recursive: true })
    return await enterable(probe)
  } catch (error) {
    return `${probe} cannot be made: ${rightsReasonOf(error)}`
  } finally {
    await removeGroup(probe)
  }
}

async function wordsOf(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split(/\s+/).filter(Boolean)
  } catch {
    return []
  }
}
