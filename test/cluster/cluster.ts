import { readFile } from 'node:fs/promises'
import { isAlive } from '../../src/adapters/process/proc/index.ts'
import { type Api, openApi } from './api.ts'
import { buildBinaries } from './binaries/build.ts'
import { down } from './down.ts'
import type { Image } from './images/index.ts'
import { loadImage } from './images/load.ts'
import { type Keeper, keeperOf } from './machine/keeper.ts'
import { logFileOf } from './machine/start-part.ts'
import { until } from './machine/until.ts'
import { exposeCommand, forgetAddress, portOf } from './parts/forward.ts'
import { startAgain } from './parts/ready.ts'
import { addresses, type Place, placeOf } from './place.ts'

const exposedWithinMs = 10_000

/** A cluster that is up. Disposing of it takes it down. */
export interface Cluster extends AsyncDisposable {
  readonly name: string
  readonly place: Place
  /** For programs in the namespaces of the caller, such as the product under test or kubectl. */
  readonly kubeconfig: string
  readonly api: Api
  /** Faults: end, stop and go on with each part by its name, such as `node-1-kubelet`. */
  readonly parts: Pick<Keeper, 'kill' | 'signal' | 'state'>
  /** Starts a part that was ended, as it was. */
  startAgain(part: string): Promise<void>
  /**
   * Lets pods reach a port of the caller's loopback; gives the address that they use. At another host, such as the
   * loopback inside, only nodes reach it.
   */
  expose(port: number, host?: string): Promise<string>
  load(image: Image): Promise<void>
  log(part: string): Promise<string>
  /** Ends the connection to it; the cluster stays up. */
  close(): Promise<void>
}

/** Opens a cluster that runs, also one that another process started. */
export async function openCluster(name: string): Promise<Cluster> {
  const place = placeOf(name)
  const keeper = keeperOf(place)
  const api = await openApi(place, (await keeper.state()).apiPort)
  return {
    name,
    place,
    kubeconfig: place.kubeconfig,
    api,
    parts: keeper,
    startAgain: (part) => startAgain(place, part),
    async expose(port, host = addresses.control) {
      const part = `expose-${port}`
      const { tools } = await buildBinaries(() => {})
      const inside = `${host}:${port}`
      const before = (await keeper.state()).parts.find(({ name }) => name === part)
      if (isAlive(before?.identity ?? null)) return inside
      await forgetAddress(place, part)
      await keeper.start(part, exposeCommand(tools, place, part, inside, `127.0.0.1:${port}`), 'network')
      await until(`${inside} is served`, exposedWithinMs, () => portOf(place, part))
      return inside
    },
    load: async (image) => loadImage(place, await keeper.state(), image),
    log: (part) => readFile(logFileOf(place, part), 'utf8'),
    close: () => Promise.resolve(api[Symbol.asyncDispose]()),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await down(place)
    },
  }
}
