import path from 'node:path'
import type { SimulatedForge, SimulatedForgeOptions } from '../../../../sim/forge/http/index.ts'
import { createGitHub } from '../../../adapters/github/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { Base } from '../../base.ts'
import { bundledRunner } from '../bundled-runner.ts'
import type { ForgeAdapter, ForgeDeps } from '../forge-adapter.ts'
import type { ForgeModule } from '../forge-module.ts'

/** The simulated forge listens for this machine alone. */
const simulatedHost = '127.0.0.1'
const secretBytes = 24

/** The simulated forge speaks HTTP as GitHub does. With `forge.url` it runs elsewhere. */
export const forgeModule: ForgeModule = {
  serverUrl: () => null, // it moves from port to port
  ports: ({ url, simulated: { port } }) =>
    url === undefined ? [{ host: simulatedHost, port, setting: 'forge.simulated.port' }] : [],
  runner: bundledRunner,
  open,
  openFacts: () => null,
  openProofForge: () => null,
  openRemedyForge: () => null,
}

async function open(
  base: Base,
  { installation, webhookUrl, budget, operatorToken }: ForgeDeps,
): Promise<ForgeAdapter> {
  const { config, log, clock } = base
  const token = config.forge.token ?? operatorToken
  const webhookSecrets = webhookSecretsOf(base)
  const elsewhere = config.forge.url
  const server =
    elsewhere === undefined
      ? await startSimulated(base, { webhookUrl, token, webhookSecrets })
      : { url: elsewhere, close: async () => {} }
  const { forge, webhooks, deliveries, close } = createGitHub({
    installation,
    webhookUrl,
    clock,
    log,
    apiUrl: server.url,
    budget: budget.of,
    credentials: { kind: 'token', token: () => token },
    webhookSecrets: () => webhookSecrets,
  })
  return {
    installation,
    kind: 'simulated',
    url: server.url,
    forge,
    webhooks,
    deliveries,
    async stop() {
      close()
      await server.close()
    },
  }
}

/** Starts the forge's server. It signs its webhooks with the first of the secrets. */
export function startSimulated(
  { config, log, clock, entropy }: Base,
  hook: {
    readonly webhookUrl: string
    readonly token: string
    readonly webhookSecrets: readonly string[]
  },
): Promise<SimulatedForge> {
  return startOn({
    folder: path.join(config.dataDir, 'simulated-forge'),
    host: simulatedHost,
    port: config.forge.simulated.port,
    runnersUrl: config.forge.simulated.runnersUrl,
    token: config.forge.token ?? hook.token,
    webhookUrl: hook.webhookUrl,
    webhookSecret: hook.webhookSecrets[0] as string,
    delays: { lostAfterMs: config.forge.simulated.lockRenewTimeoutMs },
    clock,
    entropy,
    log: log.child({ part: 'simulated-forge' }),
  })
}

/** The secrets of the settings, or one that lives as long as this process. */
export function webhookSecretsOf({ config, entropy, redactor }: Base): readonly string[] {
  const { webhookSecrets } = config.forge
  if (webhookSecrets.length > 0) return webhookSecrets
  const generated = [Buffer.from(entropy.bytes(secretBytes)).toString('base64url')]
  redactor.learn(generated)
  return generated
}

/** Throws E_PORT_IN_USE where another program has the port. */
async function startOn(options: SimulatedForgeOptions): Promise<SimulatedForge> {
  const { startSimulatedForge } = await import('../../../../sim/forge/http/index.ts')
  try {
    return await startSimulatedForge(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new HoldfastError('E_PORT_IN_USE', { host: options.host ?? '', port: options.port }, error)
  }
}
