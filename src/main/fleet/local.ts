import path from 'node:path'
import { createProcessHost, unreachableFiles } from '../../adapters/process/index.ts'
import { createTokenAgentIdentity } from '../../adapters/vault/index.ts'
import { podSettingsGiven } from '../../api/index.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Base } from '../base.ts'
import { agentToken, hostId } from '../kept-random.ts'
import { ownRunner, runnerShape } from '../runner-shape.ts'
import type { OpenFleet } from './fleet.ts'
import { isolate } from './isolate.ts'

/** Runners as processes of this machine. */
export async function openLocalFleet(base: Base, url: string, identity: Identity): Promise<OpenFleet> {
  const { config, clock, log } = base
  for (const pool of config.pools) {
    const settings = podSettingsGiven(pool)
    if (settings.length > 0)
      log.warn({ pool: pool.name, settings }, 'what a pool says of pods has no effect on local runners')
  }
  const { isolation, report } = await isolate(base)
  for (const { name, runnerCommand = [] } of config.pools) {
    const files = isolation === null ? [] : await unreachableFiles(isolation, runnerCommand)
    if (files.length > 0)
      log.warn(
        { pool: name, files },
        "a runner's user cannot read its program: move it or open it for others",
      )
  }
  const shape = runnerShape(config, url, await ownRunner(config, isolation))
  const host = await createProcessHost({
    ...{ id: await hostId(base), log, clock, shape, isolation },
    folder: path.join(config.dataDir, 'runners'),
  })
  const agents = createTokenAgentIdentity(await agentToken(base))
  return {
    ...{ host, identity, agents, pools: null, leads: null, endsWithUs: true },
    where: `processes of this machine${report.level === 'own-users' ? ', each as a user of its own' : ''}`,
    isolation: report,
    measure: () => {},
    stop: async () => host[Symbol.asyncDispose](),
  }
}
