import path from 'node:path'
import { createProcessHost, unreachableFiles } from '../../adapters/process/index.ts'
import { createTokenAgentIdentity } from '../../adapters/vault/index.ts'
import { podSettingsGiven } from '../../api/index.ts'
import type { Identity } from '../../ports/identity.ts'
import type { Base } from '../base.ts'
import { readAgentToken, readHostId } from '../data-folder/index.ts'
import type { OpenFleet } from './fleet.ts'
import { isolate } from './isolate.ts'
import { ownRunner, runnerShape } from './runner-shape.ts'

const whose = {
  'own-users': ', each as a user of its own',
  'one-user': ', all as one user',
  none: '',
} as const

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
    id: await readHostId(base),
    log,
    clock,
    shape,
    isolation,
    folder: path.join(config.dataDir, 'runners'),
  })
  const agents = createTokenAgentIdentity(await readAgentToken(base))
  return {
    host,
    identity,
    agents,
    pools: null,
    leads: null,
    endsWithUs: true,
    where: `processes of this machine${whose[report.level]}`,
    isolation: report,
    measure: () => {},
    stop: async () => host[Symbol.asyncDispose](),
  }
}
