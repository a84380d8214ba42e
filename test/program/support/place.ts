import { chmod, chown, mkdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { removeGroup } from '../../../src/adapters/process/cgroup/index.ts'
import { freePort } from '../../../src/main/machine/free-port.ts'
import { cgroupsOf, processesOf, removeUsers } from '../../support/leftovers.ts'
import { temporaryFolder } from '../../support/temporary.ts'

/** A user under whom the program runs. */
export interface User {
  readonly uid: number
  readonly gid: number
}

/** Where one Holdfast lives: a data folder, two ports, and the environment that names them. */
export interface Place extends AsyncDisposable {
  readonly dataDir: string
  readonly url: string
  readonly forgeUrl: string
  readonly forgePort: number
  readonly env: Readonly<Record<string, string>>
  readonly user: User | undefined
  /** Where jobs and tests leave files for each other, whatever user a job is. */
  readonly shared: string
}

const endTriesMax = 50
const endPauseMs = 100

/** A place of its own, not made yet. Going from it ends every process that is left there, by its pid. */
export async function newPlace(user?: User): Promise<Place> {
  const folder = await temporaryFolder('holdfast-program-')
  const home = path.join(await realpath(folder.path), 'home')
  await mkdir(home)
  if (user !== undefined) await chown(home, user.uid, user.gid)
  const shared = path.join(folder.path, 'shared')
  await mkdir(shared)
  await chmod(shared, 0o777)
  const dataDir = path.join(home, 'data')
  const [port, forgePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')]
  return {
    dataDir,
    url: `http://127.0.0.1:${port}`,
    forgeUrl: `http://127.0.0.1:${forgePort}`,
    forgePort,
    user,
    shared,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      // Where its instances are noted for commands in a second terminal: not among those of this machine's user.
      XDG_RUNTIME_DIR: path.join(home, 'run'),
      HOLDFAST_DATA_DIR: dataDir,
      HOLDFAST_HTTP_PORT: String(port),
      HOLDFAST_FORGE_SIMULATED_PORT: String(forgePort),
    },
    async [Symbol.asyncDispose]() {
      await endAll(home)
      for (const group of await cgroupsOf(dataDir)) await removeGroup(group)
      await removeUsers(dataDir)
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Ends the processes that a killed Holdfast leaves: its Postgres, its runners. */
async function endAll(home: string): Promise<void> {
  for (let tries = 0; tries < endTriesMax; tries += 1) {
    const left = await processesOf(home)
    if (left.length === 0) return
    for (const { pid } of left) kill(pid)
    await setTimeout(endPauseMs)
  }
  throw new Error(`processes did not end: ${JSON.stringify(await processesOf(home))}`)
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // ended meanwhile
  }
}
