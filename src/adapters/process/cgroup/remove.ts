import { rmdir } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { reasonOf } from '../../../domain/reason.ts'
import { treeOf } from './members.ts'

/** The kernel releases a group some milliseconds after its last process. */
const triesMax = 100
const tryPauseMs = 10

/** Removes a group and all below it; null when it is gone, else why it is not. */
export async function removeGroup(folder: string): Promise<string | null> {
  let reason = ''
  for (let tries = 0; tries < triesMax; tries++) {
    const problem = await removeTree(folder)
    if (problem === null) return null
    reason = problem
    await setTimeout(tryPauseMs)
  }
  return reason
}

/** Removes an empty group in one try; a group in use stays. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined)
}

async function removeTree(folder: string): Promise<string | null> {
  for (const group of treeOf(folder).reverse()) {
    try {
      await rmdir(group)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') continue
      return reasonOf(error)
    }
  }
  return null
}
