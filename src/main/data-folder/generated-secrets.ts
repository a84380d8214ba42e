import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Base } from '../base.ts'

const randomBytes = 32

/** The token with which operators may change something. */
export const readOperatorToken = async (base: Base): Promise<string> =>
  base.config.http.operatorToken ?? readSecret(base, 'operator-token')

/** The id that separates the runners of this data folder from those of other Holdfasts that share the ledger. */
export const readHostId = (base: Base): Promise<string> => readOrGenerate(base, 'host-id')

/** The token with which the agent of this machine pushes its samples. */
export const readAgentToken = (base: Base): Promise<string> => readSecret(base, 'agent-token')

/** The key of the hashes in snapshots; null where the folder has none and takes none. */
export async function readSnapshotKey(base: Pick<Base, 'config' | 'entropy'>): Promise<Uint8Array | null> {
  const text = await readOrGenerate(base, 'snapshot-key').catch(() => '')
  const key = Buffer.from(text, 'base64url')
  return key.length === randomBytes ? key : null
}

async function readSecret(base: Base, name: string): Promise<string> {
  const secret = await readOrGenerate(base, name)
  base.redactor.learn([secret])
  return secret
}

/** Random text, made once and kept in the data folder, in a file that only this user may read. */
async function readOrGenerate(
  { config, entropy }: Pick<Base, 'config' | 'entropy'>,
  name: string,
): Promise<string> {
  const file = path.join(config.dataDir, name)
  await mkdir(config.dataDir, { recursive: true })
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(Buffer.from(entropy.bytes(randomBytes)).toString('base64url'))
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}
