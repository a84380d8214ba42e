import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { folderError, type Lock, takeLock } from '../../adapters/embedded-postgres/index.ts'
import type { Base } from '../base.ts'

const nonceBytes = 8

/** Takes the data folder for this process: two would end each other's runners, whatever database they use. */
export async function lockDataFolder({ config, entropy, clock }: Base): Promise<Lock> {
  const folder = config.dataDir
  const nonce = Buffer.from(entropy.bytes(nonceBytes)).toString('hex')
  try {
    await mkdir(folder, { recursive: true })
    return await takeLock(path.join(folder, 'holdfast.lock'), folder, nonce, clock)
  } catch (error) {
    throw folderError(error, folder)
  }
}
