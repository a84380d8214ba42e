import path from 'node:path'
import type { Command } from 'commander'
import { HoldfastError } from '../../domain/errors/index.ts'
import { isLoopbackHost, urlOf } from '../../http/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { loadFor, tokenEnv, urlEnv } from '../configuration.ts'
import type { Context } from '../context.ts'
import { type Client, createClient } from './client.ts'

/** The server that the options, the environment or the settings name, with the token that belongs to it. */
export function findServer(command: Command, context: Context): Client {
  const named = command.opts<{ url?: string }>().url ?? (context.env[urlEnv] || undefined)
  const token = context.env[tokenEnv] || undefined
  if (named !== undefined) {
    const url = checkedUrl(named)
    // This machine's token is not sent to another one.
    const own =
      token ?? (isLoopbackHost(url.hostname) ? ownToken(settingsOf(command, context), context) : undefined)
    return createClient({ url: url.origin, token: own, fetch: context.fetch })
  }
  const { config } = loadFor(command, context)
  if (config.http.port === 0) {
    throw new HoldfastError('E_USAGE', {
      problem:
        'http.port is 0, so that the port is not known; name it with --url, as "holdfast up" printed it',
    })
  }
  return createClient({
    url: urlOf(config.http.host, config.http.port),
    token: token ?? ownToken(config, context),
    fetch: context.fetch,
  })
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new HoldfastError('E_USAGE', { problem: `the URL "${text}" is not one of http or https` })
  }
  return url
}

/** Reading needs no token on this machine, so that a broken configuration need not stop it. */
function settingsOf(command: Command, context: Context): Config | undefined {
  try {
    return loadFor(command, context).config
  } catch {
    return undefined
  }
}

/** Whoever may not read the file may still ask what is open to everybody. */
function ownToken(config: Config | undefined, context: Context): string | undefined {
  if (config === undefined) return undefined
  if (config.http.operatorToken !== undefined) return config.http.operatorToken
  try {
    return context.readFile(path.join(config.dataDir, 'operator-token'))?.trim()
  } catch {
    return undefined
  }
}
