import { checkPorts } from '../../../adapters/machine/index.ts'
import type { Part } from '../../../platform/lifecycle/index.ts'
import type { Base } from '../../base.ts'
import { lockDataFolder } from '../../data-folder/index.ts'
import { refuseRootRunners } from '../../fleet/index.ts'
import { loadForgeModule } from '../../forge/index.ts'
import { registerInstance } from '../../instance/index.ts'
import type { Program } from '../program.ts'

/** Refuses runners that would have root's rights. */
export function isolationPart(base: Base): Part<void> {
  return { name: 'isolation of runners', start: () => refuseRootRunners(base) }
}

/** Locks the data folder for this process. */
export function dataFolderPart(base: Base): Part<{ release(): Promise<void> }> {
  return { name: 'data folder', start: () => lockDataFolder(base), stop: (lock) => lock.release() }
}

/** Checks that the ports are free, before anything is created that a failed start would leave behind. */
export function portsPart({ config }: Base, { host, port }: Program['address']): Part<void> {
  return {
    name: 'ports',
    async start() {
      const { ports } = await loadForgeModule(config.forge.kind)
      await checkPorts([{ host, port, setting: 'http.port' }, ...ports(config.forge)])
    },
  }
}

/** Registers this instance for the commands of its owner. */
export function instancePart({ base, address, owner }: Program): Part<{ remove(): Promise<void> } | null> {
  return {
    name: 'instance',
    start: async () => (owner === null ? null : registerInstance(base, address.url, owner)),
    stop: async (registered) => registered?.remove(),
  }
}
