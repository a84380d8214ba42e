import { open, rm } from 'node:fs/promises'
import { until } from './until.ts'

const freeWithinMs = 60_000

/**
 * Does some work while no other process does any under the same lock, which is a file. It goes with the folder of its
 * cluster: of who was killed while he had it, the cluster is taken down and not used on.
 */
export async function alone<T>(lock: string, work: () => Promise<T>): Promise<T> {
  await until(`${lock} is free`, freeWithinMs, () => take(lock))
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<boolean> {
  const file = await open(lock, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return null
    throw error
  })
  await file?.close()
  return file !== null
}
