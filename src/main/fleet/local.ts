import path from 'node:path'
import { createProcessHost } from '../../adapters/process/index.ts'
import { createTokenAgentIdentity } from '../../adapters/vault/index.ts'
import { podSettingsGiven } from '../../api/index.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Base } from '../base.ts'
import { agentToken, hostId } from '../kept-random.ts'
import { runnerShape } from '../runner-shape.ts'
import type { OpenFleet } from './fleet.ts'

/** Runners as processes of this machine. */
export async function openLocalFleet(base: Base, url: string, identity: Identity): Promise<OpenFleet> {
  const { config, clock, log } = base
  for (const pool of config.pools) {
    const settings = podSettingsGiven(pool)
    if (settings.length > 0)
      log.warn({ pool: pool.name, settings }, 'what a pool says of pods has no effect on local runners')
  }
  const host = await createProcessHost({
    ...{ id: await hostId(base), log, clock, shape: runnerShape(config, url) },
    folder: path.join(config.dataDir, 'runners'),
  })
  const agents = createTokenAgentIdentity(await agentToken(base))
  return {
    ...{ host, identity, agents, pools: null, leads: null, endsWithUs: true },
    where: 'processes of this machine',
    measure: () => {},
    stop: async () => host[Symbol.asyncDispose](),
  }
}
