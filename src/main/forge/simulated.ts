import path from 'node:path'
import type { SimulatedForge, SimulatedForgeOptions } from '../../../sim/forge/http/index.ts'
import { createGitHub } from '../../adapters/github/index.ts'
import type { SharedBudget } from '../../budget/index.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Base } from '../base.ts'
import type { ForgeSide } from './side.ts'

/** The simulated forge serves this machine alone. */
export const simulatedHost = '127.0.0.1'

const secretBytes = 24

interface Given {
  readonly webhookUrl: string
  readonly token: string
}

/** The simulated forge speaks HTTP as GitHub does. With `forge.url` it runs elsewhere. */
export async function openSimulated(
  base: Base,
  given: Given & { readonly installation: string; readonly budget: SharedBudget },
): Promise<ForgeSide> {
  const { config, log, clock } = base
  const { installation, budget, webhookUrl } = given
  const token = config.forge.token ?? given.token
  const webhookSecrets = webhookSecretsOf(base)
  const elsewhere = config.forge.url
  const simulated =
    elsewhere === undefined
      ? await startSimulated(base, given, webhookSecrets)
      : { url: elsewhere, close: async () => {} }
  const { url } = simulated
  const github = createGitHub({
    ...{ installation, webhookUrl, clock, log, apiUrl: url },
    budget: budget.of,
    credentials: { kind: 'token', token: () => token },
    webhookSecrets: () => webhookSecrets,
  })
  return {
    ...{ ...github, installation, kind: 'simulated', url },
    async stop() {
      github.close()
      await simulated.close()
    },
  }
}

/** Its webhook secret lives as long as this process, unless the configuration has one. */
export function startSimulated(
  { config, log, clock, entropy }: Base,
  { webhookUrl, token }: Given,
  webhookSecrets: readonly string[],
): Promise<SimulatedForge> {
  return startOn({
    folder: path.join(config.dataDir, 'simulated-forge'),
    host: simulatedHost,
    port: config.forge.simulated.port,
    runnersUrl: config.forge.simulated.runnersUrl,
    token: config.forge.token ?? token,
    webhookUrl,
    webhookSecret: webhookSecrets[0] as string,
    delays: { lostAfterMs: config.forge.simulated.lockRenewTimeoutMs },
    clock,
    entropy,
    log: log.child({ part: 'simulated-forge' }),
  })
}

export function webhookSecretsOf({ config, entropy, redactor }: Base): readonly string[] {
  const { webhookSecrets } = config.forge
  if (webhookSecrets.length > 0) return webhookSecrets
  const made = [Buffer.from(entropy.bytes(secretBytes)).toString('base64url')]
  redactor.learn(made)
  return made
}

/** A port that somebody else has is said as such. */
async function startOn(options: SimulatedForgeOptions): Promise<SimulatedForge> {
  const { startSimulatedForge } = await import('../../../sim/forge/http/index.ts')
  try {
    return await startSimulatedForge(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new HoldfastError('E_PORT_IN_USE', { host: options.host ?? '', port: options.port }, error)
  }
}
