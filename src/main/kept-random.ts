import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Base } from './base.ts'

const randomBytes = 32

/** What an operator shows to change something. */
export const operatorToken = async (base: Base): Promise<string> =>
  base.config.http.operatorToken ?? keptSecret(base, 'operator-token')

/** Tells the runners of this data folder from those of other Holdfasts that share the ledger. */
export const hostId = (base: Base): Promise<string> => keptRandom(base, 'host-id')

/** What the agent of this machine shows to push what it saw. */
export const agentToken = (base: Base): Promise<string> => keptSecret(base, 'agent-token')

async function keptSecret(base: Base, name: string): Promise<string> {
  const secret = await keptRandom(base, name)
  base.redactor.learn([secret])
  return secret
}

/** Random text, made once and kept in the data folder, in a file that only this user may read. */
async function keptRandom({ config, entropy }: Base, name: string): Promise<string> {
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
