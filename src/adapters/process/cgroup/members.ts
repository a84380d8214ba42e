import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The number of nested groups that are read: a job that runs containers creates some. */
const nestedMax = 1_000

/** The pids in a group and in the groups below it; none where the group is gone. */
export function membersOf(folder: string): number[] {
  return treeOf(folder).flatMap(pidsIn)
}

/** A group and all groups below it, each before its children. */
export function treeOf(folder: string): string[] {
  const found = [folder]
  for (let index = 0; index < found.length && found.length < nestedMax; index++) {
    found.push(...childrenOf(found[index] ?? folder))
  }
  return found
}

/** Has the kernel kill the whole group at once where it can (version 2, Linux 5.14): no fork escapes that. */
export function killGroup(folder: string): void {
  try {
    writeFileSync(path.join(folder, 'cgroup.kill'), '1', { flag: 'r+' })
  } catch {
    // an older kernel or version 1: its members are killed one by one
  }
}

function childrenOf(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => path.join(folder, entry.name))
  } catch {
    return []
  }
}

function pidsIn(folder: string): number[] {
  try {
    return readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
