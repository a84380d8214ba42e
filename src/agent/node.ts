import path from 'node:path'
import type { KernelFile, KernelFiles } from '../ports/host-agent.ts'
import { numberIn } from './cgroup/values.ts'
import type { NodeReading } from './ring/fields.ts'

/** Readings of the node itself, once for all its pods. */
export interface NodeReader {
  read(): NodeReading
  /** Descriptions of the readings that are missing here. */
  readonly missing: readonly string[]
}

/** Opens the kernel's files about the node; `imagesAt` is the folder of images and writable layers. */
export function openNode(files: KernelFiles, proc: string, imagesAt: string): NodeReader {
  const missing: string[] = []
  const open = (name: string, what: string): (() => string | null) => {
    const file: KernelFile | null = files.open(path.join(proc, name))
    if (file === null) missing.push(`${what}: ${path.join(proc, name)} cannot be read`)
    return () => file?.read() ?? null
  }
  const memory = open('meminfo', 'free memory of the node')
  const table = open('sys/fs/file-nr', 'the file table')
  const tracked = open('sys/net/netfilter/nf_conntrack_count', 'connections tracked')
  const trackedMax = open('sys/net/netfilter/nf_conntrack_max', 'most connections tracked')
  if (files.space(imagesAt) === null) missing.push(`free disk: ${imagesAt} cannot be looked at`)
  return {
    missing,
    read() {
      const [filesOpen, , filesMax] = (table() ?? '').trim().split(/\s+/)
      const space = files.space(imagesAt)
      const freeKib = /^MemAvailable:\s+(\d+)/m.exec(memory() ?? '')?.[1]
      return {
        nodeMemoryFreeBytes: freeKib === undefined ? null : Number(freeKib) * 1024,
        nodeFilesOpen: numberIn(filesOpen ?? null),
        nodeFilesMax: bounded(numberIn(filesMax ?? null)),
        nodeDiskFreeBytes: space?.freeBytes ?? null,
        nodeInodesFree: space?.freeInodes ?? null,
        nodeConntrack: numberIn(tracked()),
        nodeConntrackMax: numberIn(trackedMax()),
      }
    },
  }
}

/** Newer kernels have a bound of 2^63 - 1, which counts as none. */
function bounded(max: number | null): number | null {
  return max === null || max >= Number.MAX_SAFE_INTEGER ? null : max
}
