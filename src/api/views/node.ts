import type { NodeSample } from '../../ports/ledger.ts'
import type { ApiNode } from '../contracts/node.ts'
import { iso } from './time.ts'

/** A node's newest sample in the terms of the API. */
export function nodeView({ node, sample }: NodeSample): ApiNode {
  return {
    node,
    at: iso(sample.at),
    filesOpen: sample.nodeFilesOpen,
    filesMax: sample.nodeFilesMax,
    memoryFreeBytes: sample.nodeMemoryFreeBytes,
    diskFreeBytes: sample.nodeDiskFreeBytes,
    inodesFree: sample.nodeInodesFree,
  }
}
