import { mkdir, readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { HoldfastError } from '../../domain/errors/index.ts'
import { systemCodeOf } from '../../domain/reason.ts'
import { folderError, readIfThere } from './files.ts'

/** Where everything of the embedded server lies. */
export interface Layout {
  readonly dataDir: string
  /** Ours: lock, password, port, log, and the server's folder. */
  readonly home: string
  /** The server's own folder (PGDATA); the only one that its user owns. */
  readonly data: string
  readonly lock: string
  readonly password: string
  readonly port: string
  readonly log: string
}

/** Others may pass through our folders when the server runs as another user, and read nothing. */
const folderMode = process.geteuid?.() === 0 ? 0o711 : 0o700

/** Makes our folders, or says who may not. */
export async function makeLayout(dataDir: string): Promise<Layout> {
  try {
    await mkdir(path.join(dataDir, 'postgres'), { recursive: true, mode: folderMode })
    return layoutOf(await realpath(dataDir))
  } catch (error) {
    throw folderError(error, dataDir)
  }
}

function layoutOf(dataDir: string): Layout {
  const home = path.join(dataDir, 'postgres')
  return {
    dataDir,
    home,
    data: path.join(home, 'data'),
    lock: path.join(home, 'holdfast.lock'),
    password: path.join(home, 'password'),
    port: path.join(home, 'port'),
    log: path.join(home, 'log', 'server.log'),
  }
}

/** Whether there is a data folder of this major version; refuses any other content without touching it. */
export async function hasData({ data }: Layout, major: number): Promise<boolean> {
  try {
    const version = await readIfThere(path.join(data, 'PG_VERSION'))
    if (version === undefined) {
      if ((await entries(data)).length > 0) throw new HoldfastError('E_DATA_DIR_FOREIGN', { folder: data })
      return false
    }
    if (Number(version) === major) return true
    throw new HoldfastError('E_DATA_DIR_VERSION', { folder: data, found: version.trim(), program: major })
  } catch (error) {
    throw folderError(error, data)
  }
}

async function entries(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return []
    throw error
  }
}
