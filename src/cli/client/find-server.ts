import path from 'node:path'
import type { Command } from 'commander'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isLoopbackHost, urlOf } from '../../http/index.ts'
import { type Config, type LoadedConfig, originText } from '../../platform/config/index.ts'
import { loadFor, tokenEnv, urlEnv } from '../configuration.ts'
import type { Context } from '../context.ts'
import type { InstanceAt } from '../deps.ts'
import { type Client, createClient } from './client.ts'

/** The URL of a server, how it was found, and the token for it. */
interface Found {
  readonly url: string
  /** How the URL was found, as text for the error of an unreachable server. */
  readonly from: string
  readonly token: string | undefined
}

/**
 * The server that the options, the environment, a running instance or the settings name, in this order, with the token
 * that belongs to it.
 */
export async function findServer(command: Command, context: Context): Promise<Client> {
  const { url, from, token } =
    namedUrl(command, context) ?? (await locate(loadFor(command, context), context))
  return createClient({
    url,
    token: (context.env[tokenEnv] || undefined) ?? token,
    fetch: context.fetch,
    unreachable: (reason) => new HoldfastError('E_SERVER_UNREACHABLE', { url, reason, from }),
  })
}

function namedUrl(command: Command, context: Context): Found | null {
  const option = command.opts<{ url?: string }>().url
  const named = option ?? (context.env[urlEnv] || undefined)
  if (named === undefined) return null
  const url = checkedUrl(named)
  return {
    url: url.origin,
    from: `named by ${option === undefined ? urlEnv : '--url'}`,
    // This machine's token is not sent to another one.
    token: isLoopbackHost(url.hostname) ? ownToken(settingsOf(command, context), context) : undefined,
  }
}

async function locate({ config, origins }: LoadedConfig, context: Context): Promise<Found> {
  const { dataDir, http } = config
  const byHand = ['http.host', 'http.port'].flatMap((setting) => {
    const origin = origins.get(setting)
    return origin?.kind === 'flag' || origin?.kind === 'env' ? [originText(origin)] : []
  })
  if (byHand.length === 0) {
    const isUsual = origins.get('dataDir')?.kind === 'default'
    const instance = (await context.instances.in(dataDir)) ?? (isUsual ? await onlyInstance(context) : null)
    if (instance !== null) {
      const token = ownToken({ ...config, dataDir: instance.dataDir }, context)
      return { url: instance.url, from: instanceText(instance), token }
    }
  }
  if (http.port === 0) {
    throw new HoldfastError('E_USAGE', {
      problem:
        'http.port is 0, so that the port is not known; name it with --url, as "holdfast up" printed it',
    })
  }
  const from =
    byHand.length > 0
      ? `named by ${byHand.join(' and ')}`
      : `as the settings say, because no instance serves ${dataDir}`
  return { url: urlOf(http.host, http.port), from, token: ownToken(config, context) }
}

/** The only instance of this user outside the default data folder. Throws E_INSTANCES_SEVERAL. */
async function onlyInstance(context: Context): Promise<InstanceAt | null> {
  const running = await context.instances.all()
  if (running.length > 1) {
    throw new HoldfastError('E_INSTANCES_SEVERAL', { running: running.map(instanceText) })
  }
  return running[0] ?? null
}

function instanceText({ pid, url, dataDir }: InstanceAt): string {
  return `process ${pid} serves ${dataDir} at ${url}`
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new HoldfastError('E_USAGE', { problem: `the URL "${text}" is not one of http or https` })
  }
  return url
}

/** Reading needs no token on this machine, so a broken configuration must not prevent it. */
function settingsOf(command: Command, context: Context): Config | undefined {
  try {
    return loadFor(command, context).config
  } catch {
    return undefined
  }
}

/** A user who may not read the token file may still read what needs no token. */
function ownToken(config: Config | undefined, context: Context): string | undefined {
  if (config === undefined) return undefined
  if (config.http.operatorToken !== undefined) return config.http.operatorToken
  try {
    return context.readFile(path.join(config.dataDir, 'operator-token'))?.trim()
  } catch {
    return undefined
  }
}
