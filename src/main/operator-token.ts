import { mkdir, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Base } from './base.ts'

const tokenBytes = 32

/** What an operator shows to change something: made once, in a file that only this user may read. */
export async function operatorToken({ config, entropy }: Base): Promise<string> {
  const file = path.join(config.dataDir, 'operator-token')
  await mkdir(config.dataDir, { recursive: true })
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(Buffer.from(entropy.bytes(tokenBytes)).toString('base64url'))
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return (await readFile(file, 'utf8')).trim()
}
