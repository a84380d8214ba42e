import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { takeLock } from '../../adapters/embedded-postgres/index.ts'
import { createPlanFiles, createTrailFile } from '../../adapters/remedy-files/index.ts'
import { HoldfastError, isError } from '../../domain/errors/index.ts'
import type { RemedyStore } from '../../ports/remedy-store.ts'
import type { Base } from '../base.ts'
import { sha256 } from './sha256.ts'

const nonceBytes = 8

/** Plans and trail in the data folder. The head stands apart from the rows. */
export function openRemedyFiles(base: Base): RemedyStore {
  const { dataDir } = base.config
  const folder = path.join(dataDir, 'remedies')
  const file = path.join(folder, 'trail.jsonl')
  return {
    kind: 'files',
    place: file,
    plans: createPlanFiles(path.join(folder, 'plans'), sha256),
    trail: createTrailFile({ file, headFile: path.join(dataDir, 'trail-head.json'), digest: sha256 }),
    async lock() {
      const lock = await lockFolder(base, folder)
      return { [Symbol.asyncDispose]: () => lock.release() }
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function lockFolder({ clock, entropy }: Base, folder: string) {
  await mkdir(folder, { recursive: true })
  const nonce = Buffer.from(entropy.bytes(nonceBytes)).toString('hex')
  try {
    return await takeLock(path.join(folder, 'lock'), folder, nonce, clock)
  } catch (error) {
    if (!isError(error, 'E_DATA_DIR_BUSY')) throw error
    const holder = `process ${error.params.pid ?? 'unknown'}`
    throw new HoldfastError('E_REMEDY_BUSY', { place: `the data folder ${folder}`, holder }, error)
  }
}
