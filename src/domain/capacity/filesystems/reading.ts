import { parseQuantity } from '../../quantity.ts'
import type { FilesystemUsage, NodeSettingsFact, NodeUsageFact } from '../../snapshot/index.ts'

/** The rest of one filesystem of a kubelet, in bytes or in inodes. */
export interface Reading {
  readonly filesystem: 'nodefs' | 'imagefs'
  readonly unit: 'bytes' | 'inodes'
  readonly available: number
  readonly capacity: number
  /** Below it the kubelet evicts; null where its settings were not read. */
  readonly threshold: number | null
  /** Until the kubelet evicts; without its settings at most this. */
  readonly headroom: number
}

/** The readings of a node. A threshold that its settings do not name is none. */
export function readingsOf(
  { nodefs, imagefs }: NodeUsageFact,
  settings: NodeSettingsFact | null,
): readonly Reading[] {
  return [...filesystemOf('nodefs', nodefs, settings), ...filesystemOf('imagefs', imagefs, settings)]
}

function filesystemOf(
  filesystem: Reading['filesystem'],
  usage: FilesystemUsage,
  settings: NodeSettingsFact | null,
): readonly Reading[] {
  const { availableBytes, capacityBytes, inodesFree, inodes } = usage
  return [
    ...reading(filesystem, 'bytes', availableBytes, capacityBytes, settings),
    ...reading(filesystem, 'inodes', inodesFree, inodes, settings),
  ]
}

function reading(
  filesystem: Reading['filesystem'],
  unit: Reading['unit'],
  available: number | null,
  capacity: number | null,
  settings: NodeSettingsFact | null,
): readonly Reading[] {
  // Some filesystems count no inodes, and report 0 of 0.
  if (available === null || capacity === null || capacity === 0) return []
  const signal = `${filesystem}.${unit === 'bytes' ? 'available' : 'inodesFree'}`
  const threshold = settings === null ? null : amountOf(settings.evictionHard[signal], capacity)
  return [{ filesystem, unit, available, capacity, threshold, headroom: available - (threshold ?? 0) }]
}

function amountOf(text: string | undefined, capacity: number): number {
  if (text === undefined) return 0
  if (text.endsWith('%')) return (Number.parseFloat(text) / 100) * capacity || 0
  return parseQuantity(text) ?? 0
}
