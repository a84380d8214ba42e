import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { identityOf } from '../../adapters/postgres/embedded/index.ts'
import type { Base } from '../base.ts'
import { version } from '../version.ts'
import { dropStale, type Instance } from './find.ts'
import { type Asker, instanceFile, instancesFolder } from './places.ts'

export interface NotedInstance {
  /** It does not serve any more. */
  forget(): Promise<void>
}

/**
 * Writes where this process serves, for commands in another terminal: into its data folder, and where this user's
 * instances are noted. What cannot be written costs these commands an option, and nobody the start.
 */
export async function noteInstance({ config, log }: Base, url: string, asker: Asker): Promise<NotedInstance> {
  const identity = await identityOf(process.pid)
  if (identity === undefined) return { forget: async () => {} }
  const instance: Instance = { ...identity, url, dataDir: config.dataDir, version }
  const folder = instancesFolder(asker)
  const files = [
    instanceFile(config.dataDir),
    ...(folder === null ? [] : [path.join(folder, `${process.pid}.json`)]),
  ]
  if (folder !== null) await dropStale(asker)
  for (const file of files) {
    await write(file, JSON.stringify(instance)).catch((error: Error) =>
      log.debug({ file, reason: error.message }, 'where Holdfast serves could not be noted'),
    )
  }
  return {
    async forget() {
      for (const file of files) await rm(file, { force: true }).catch(() => {}) // a stale one is told by its process
    },
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}
