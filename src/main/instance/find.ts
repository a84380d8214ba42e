import { constants } from 'node:fs'
import { open, readdir, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { isAlive } from '../../adapters/embedded-postgres/index.ts'
import { parseJson } from '../../domain/parse-json.ts'
import { type InstanceOwner, instanceFile, instancesFolder } from './paths.ts'

/** Small, so that nobody is made to read a large file; a user does not run more than this. */
const bytesMax = 10_000
const instancesMax = 100
/** Written by others than its owner. */
const othersWrite = 0o022

const instanceSchema = z.object({
  pid: z.int().positive(),
  startedAt: z.string(),
  bootId: z.string(),
  url: z.url({ protocol: /^https?$/ }),
  dataDir: z.string().refine(path.isAbsolute),
  version: z.string(),
})
/** A process that serves, as it noted it itself. */
export type Instance = z.output<typeof instanceSchema>

/** The live instance of a data folder; null where none is noted, or its process is gone. */
export async function instanceIn(dataDir: string): Promise<Instance | null> {
  const folder = await stat(dataDir).catch(() => null)
  if (folder === null) return null
  const instance = await readInstance(instanceFile(dataDir), folder.uid)
  if (instance === null) return null
  // A folder that was copied brings along the note of another one.
  const [noted, asked] = await Promise.all(
    [instance.dataDir, dataDir].map((one) => realpath(one).catch(() => '')),
  )
  return noted === asked ? instance : null
}

/** Every live instance that this user started, wherever its data is. */
export async function instancesOf(owner: InstanceOwner): Promise<readonly Instance[]> {
  const files = await filesOf(owner)
  const found = await Promise.all(files.map((file) => readInstance(file, owner.uid)))
  return found.filter((instance) => instance !== null)
}

/** Removes what killed processes left in this user's place. */
export async function dropStale(owner: InstanceOwner): Promise<void> {
  for (const file of await filesOf(owner)) {
    if ((await readInstance(file, owner.uid)) === null) await rm(file, { force: true }).catch(() => {})
  }
}

async function filesOf(owner: InstanceOwner): Promise<string[]> {
  const folder = instancesFolder(owner)
  if (folder === null) return []
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => /^\d+\.json$/.test(name))
    .slice(0, instancesMax)
    .map((name) => path.join(folder, name))
}

/** A file that somebody else could have written would lead our token to them: it is none. */
async function readInstance(file: string, owner: number): Promise<Instance | null> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  )
  if (handle === null) return null
  try {
    const found = await handle.stat()
    const { uid, mode, size } = found
    if (!found.isFile() || size > bytesMax || uid !== owner || (mode & othersWrite) !== 0) return null
    const parsed = instanceSchema.safeParse(parseJson(await handle.readFile('utf8')))
    return parsed.success && (await isAlive(parsed.data)) ? parsed.data : null
  } finally {
    await handle.close()
  }
}
