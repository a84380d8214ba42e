import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { identityOf } from '../../adapters/embedded-postgres/index.ts'
import type { Base } from '../base.ts'
import { version } from '../version.ts'
import { dropStale, type Instance } from './find.ts'
import { type InstanceOwner, instanceFile, instancesFolder } from './paths.ts'

export interface RegisteredInstance {
  /** Removes its files: it serves no more. */
  remove(): Promise<void>
}

/**
 * Writes the address of this process for commands in another terminal: into its data folder, and into the folder of this
 * user's instances. A failed write is logged only: those commands then need `--url`.
 */
export async function registerInstance(
  { config, log }: Base,
  url: string,
  owner: InstanceOwner,
): Promise<RegisteredInstance> {
  const identity = await identityOf(process.pid)
  if (identity === undefined) return { remove: async () => {} }
  const instance: Instance = { ...identity, url, dataDir: config.dataDir, version }
  const folder = instancesFolder(owner)
  const files = [
    instanceFile(config.dataDir),
    ...(folder === null ? [] : [path.join(folder, `${process.pid}.json`)]),
  ]
  if (folder !== null) await dropStale(owner)
  for (const file of files) {
    await write(file, JSON.stringify(instance)).catch((error: Error) =>
      log.debug({ file, reason: error.message }, 'could not write the instance file'),
    )
  }
  return {
    async remove() {
      for (const file of files) await rm(file, { force: true }).catch(() => {}) // a leftover is recognised by its dead process
    },
  }
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}.new`
  await writeFile(draft, text, { mode: 0o600 })
  await rename(draft, file)
}
