import path from 'node:path'
import type { KernelFile, KernelFiles } from '../../ports/host-agent.ts'

const followEvery = 10
/** The bound of containers that are followed in one pod. */
const containersMax = 64

/** A counter's file, and how the values of a pod's group and its containers become one number. */
export interface Reading {
  readonly join?: (own: number | null, below: readonly number[]) => number | null
  readonly readEvery?: number
}

/** Counters that the kernel keeps for each group alone and drops with it: the last value of each is kept. */
export interface CountsBelow {
  /** Follows new containers and returns their number. One may have replaced another. */
  follow(): number
  /** The value over the pod's group and all its containers. */
  read(): number | null
  close(): void
}

export function countsBelow(
  files: KernelFiles,
  folder: string,
  name: string,
  valueIn: (text: string | null) => number | null,
  { join = sum, readEvery = 1 }: Reading = {},
): CountsBelow {
  const counts = new Map<string, { readonly file: KernelFile | null; last: number | null }>()
  const add = (group: string): void => {
    if (!counts.has(group) && counts.size <= containersMax)
      counts.set(group, { file: files.open(path.join(folder, group, name)), last: null })
  }
  let followed = 0
  let looks = 0
  let reads = 0
  let joined: number | null = null
  add('')
  return {
    follow() {
      const found = files.folderCount(folder) ?? 0
      if (found !== followed || looks % followEvery === 0) {
        for (const group of files.folders(folder) ?? []) add(group)
      }
      looks += 1
      followed = found
      return found
    },
    read() {
      if (reads % readEvery === 0) {
        for (const count of counts.values()) count.last = valueIn(count.file?.read() ?? null) ?? count.last
        const [own = null, ...below] = [...counts.values()].map(({ last }) => last)
        joined = join(own, below.filter(isNumber))
      }
      reads += 1
      return joined
    },
    close() {
      for (const { file } of counts.values()) file?.close()
    },
  }
}

function sum(own: number | null, below: readonly number[]): number | null {
  const all = [own, ...below].filter(isNumber)
  return all.length === 0 ? null : all.reduce((one, other) => one + other)
}

function isNumber(value: number | null): value is number {
  return value !== null
}
