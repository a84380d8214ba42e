import path from 'node:path'
import type { KernelFile, KernelFiles } from '../../ports/host-agent.ts'
import { fieldIn } from './values.ts'

const FOLLOW_EVERY = 10
/** Containers of one pod that are followed. */
const CONTAINERS_MAX = 64

/** What the kernel counts for each group alone, and forgets with it: what was counted last is kept. */
export interface CountsBelow {
  /** Takes in containers that came; gives how many there are. One may have come in the place of another. */
  follow(): number
  /** Of the pod's group and of all its containers. */
  read(): number | null
  close(): void
}

export function countsBelow(
  files: KernelFiles,
  folder: string,
  name: string,
  field: string,
  readEvery = 1,
): CountsBelow {
  const counts = new Map<string, { readonly file: KernelFile | null; last: number | null }>()
  const add = (group: string): void => {
    if (!counts.has(group) && counts.size <= CONTAINERS_MAX)
      counts.set(group, { file: files.open(path.join(folder, group, name)), last: null })
  }
  let followed = 0
  let looks = 0
  let reads = 0
  let sum: number | null = null
  add('')
  return {
    follow() {
      const found = files.folderCount(folder) ?? 0
      if (found !== followed || looks % FOLLOW_EVERY === 0) {
        for (const group of files.folders(folder) ?? []) add(group)
      }
      looks += 1
      followed = found
      return found
    },
    read() {
      if (reads % readEvery === 0) sum = sumOf(counts.values(), field)
      reads += 1
      return sum
    },
    close() {
      for (const { file } of counts.values()) file?.close()
    },
  }
}

function sumOf(
  counts: Iterable<{ readonly file: KernelFile | null; last: number | null }>,
  field: string,
): number | null {
  let sum: number | null = null
  for (const count of counts) {
    count.last = fieldIn(count.file?.read() ?? null, field) ?? count.last
    if (count.last !== null) sum = (sum ?? 0) + count.last
  }
  return sum
}
