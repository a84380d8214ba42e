import path from 'node:path'
import {
  type SimulatedForge,
  type SimulatedForgeOptions,
  startSimulatedForge,
} from '../../sim/forge/http/index.ts'
import { createGitHubForge, createGitHubWebhooks } from '../adapters/github/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import type { Forge } from '../ports/forge.ts'
import type { Webhooks } from '../ports/webhooks.ts'
import type { Base } from './base.ts'

/** The forge whose jobs are served. */
export interface ForgeSide {
  readonly installation: string
  readonly kind: 'simulated' | 'github'
  readonly url: string
  readonly forge: Forge
  readonly webhooks: Webhooks
  stop(): Promise<void>
}

const githubUrl = 'https://api.github.com'
const timeoutMs = 15_000
const secretBytes = 24

/** `token`: what the simulated forge asks of whoever calls it, unless the configuration says otherwise. */
export async function openForge(base: Base, webhookUrl: string, token: string): Promise<ForgeSide> {
  return base.config.forge.kind === 'github' ? openGitHub(base) : openSimulated(base, webhookUrl, token)
}

function openGitHub({ config, log, clock }: Base): ForgeSide {
  const { url = githubUrl, token, webhookSecrets } = config.forge
  const installation = 'github'
  return {
    installation,
    kind: 'github',
    url,
    forge: createGitHubForge({
      baseUrl: url,
      token: () => token as string,
      installation,
      timeoutMs,
      log,
      clock,
    }),
    webhooks: createGitHubWebhooks({ secrets: () => webhookSecrets, installation }),
    stop: async () => {},
  }
}

/** The simulated forge speaks HTTP as the real one does; its webhook secret lives as long as this process. */
async function openSimulated(base: Base, webhookUrl: string, ownToken: string): Promise<ForgeSide> {
  const { config, log, clock, entropy } = base
  const fresh = () => Buffer.from(entropy.bytes(secretBytes)).toString('base64url')
  const token = config.forge.token ?? ownToken
  const secrets = config.forge.webhookSecrets.length > 0 ? config.forge.webhookSecrets : [fresh()]
  const installation = 'simulated'
  const elsewhere = config.forge.url
  const simulated =
    elsewhere !== undefined
      ? { url: elsewhere, close: async () => {} }
      : await startForgeOn({
          folder: path.join(config.dataDir, 'simulated-forge'),
          host: '127.0.0.1',
          port: config.forge.simulated.port,
          token,
          webhookUrl,
          webhookSecret: secrets[0] as string,
          delays: { lostAfterMs: config.forge.simulated.lockRenewTimeoutMs },
          clock,
          entropy,
          log: log.child({ part: 'simulated-forge' }),
        })
  return {
    installation,
    kind: 'simulated',
    url: simulated.url,
    forge: createGitHubForge({
      baseUrl: simulated.url,
      token: () => token,
      installation,
      timeoutMs,
      log,
      clock,
    }),
    webhooks: createGitHubWebhooks({ secrets: () => secrets, installation }),
    stop: () => simulated.close(),
  }
}

/** A port that somebody else has is said as such. */
async function startForgeOn(options: SimulatedForgeOptions): Promise<SimulatedForge> {
  try {
    return await startSimulatedForge(options)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new HoldfastError('E_PORT_IN_USE', { host: options.host ?? '', port: options.port }, error)
  }
}
