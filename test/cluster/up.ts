import { mkdir } from 'node:fs/promises'
import { identityOf, isAlive } from '../../src/adapters/process/proc/index.ts'
import { buildBinaries } from './binaries/build.ts'
import { boot } from './boot.ts'
import { type Cluster, openCluster } from './cluster.ts'
import { down } from './down.ts'
import { keeperOf } from './machine/keeper.ts'
import { prepareMachine } from './machine/needs.ts'
import { clustersFolder, nodesMax, type Place, placeOf } from './place.ts'
import { newState, readState, type State, writeState } from './state.ts'

export interface UpOptions {
  readonly name: string
  /** Real ones, where pods run. */
  readonly nodes?: number
  /** Ones that are only objects, for measurements with many. */
  readonly kwokNodes?: number
  /** Ends the start; nothing is left then. */
  readonly signal?: AbortSignal
}

const kwokNodesMax = 5_000

/** A cluster of this name: as it runs already, or started. A start that fails leaves nothing. */
export async function up(options: UpOptions, say: (line: string) => void): Promise<Cluster> {
  const { nodes = 1, kwokNodes = 0 } = options
  mustBeWithin('nodes', nodes, 1, nodesMax)
  mustBeWithin('KWOK nodes', kwokNodes, 0, kwokNodesMax)
  const place = placeOf(options.name)
  const machine = await prepareMachine(say)
  const binaries = await buildBinaries(say)
  options.signal?.throwIfAborted()
  if ((await claim(place, say)) === 'runs') {
    say(`cluster "${options.name}" runs already, as it was started`)
    return openCluster(options.name)
  }
  try {
    const { kubernetesVersion } = binaries
    const startedBy = identityOf(process.pid)
    await mkdir(place.logs, { recursive: true })
    await writeState(place, newState({ nodes, kwokNodes, kubernetesVersion, startedBy }))
    await boot(place, binaries, machine, options.signal)
    await keeperOf(place).note({ startedBy: null })
    return await openCluster(options.name)
  } catch (error) {
    await down(place)
    throw error
  }
}

function mustBeWithin(what: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return
  throw new Error(`${what}: expected a whole number from ${least} to ${most}, got ${value}`)
}

/** The folder is the claim: of two who start the same cluster, one makes it. */
async function claim(place: Place, say: (line: string) => void): Promise<'runs' | 'claimed'> {
  await mkdir(clustersFolder(), { recursive: true, mode: 0o755 })
  const state = await readState(place).catch(() => null)
  if (state !== null && isWhole(state)) return 'runs'
  if (await down(place)) say(`removed what was left of an earlier cluster "${place.name}"`)
  await mkdir(place.folder, { mode: 0o711 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new Error(`Somebody else is starting the cluster "${place.name}".`, { cause: error })
  })
  return 'claimed'
}

function isWhole({ startedBy, parts }: State): boolean {
  return startedBy === null && parts.length > 0 && parts.every(({ identity }) => isAlive(identity))
}
