import { createHash } from 'node:crypto'
import type { ForgeServer } from '../../adapters/postgres/ledger/index.ts'
import type { Config } from '../../platform/config/index.ts'

/** What an installation may be called in a path and on the command line. */
const callable = /^[\w.:@/-]{1,100}$/
const digestLength = 16

/**
 * Which server the configuration means. By its address alone: jobs are numbered by the server, whoever asks, so that
 * another token or App, or another of its installations, goes on with the jobs that are known.
 */
export async function serverOf({ kind, url, installation: name }: Config['forge']): Promise<ForgeServer> {
  // The simulated one is for trying, and moves from port to port.
  if (kind === 'simulated') return { kind, address: kind, name }
  const { host, pathname } = new URL(kind === 'github' ? await apiOf(url) : (url ?? ''))
  const path = pathname.replace(/\/+$/, '').replace(/\/api\/v\d+$/, '')
  const address = `${kind}@${host}${path}`.toLowerCase()
  if (callable.test(address)) return { kind, address, name }
  const digest = createHash('sha256').update(address).digest('hex').slice(0, digestLength)
  return { kind, address: `${kind}@${digest}`, name }
}

/** Loaded only where it is wanted: the other forges stay without it. */
async function apiOf(url = 'https://github.com'): Promise<string> {
  const { apiUrl } = await import('../../adapters/github/index.ts')
  return apiUrl(url)
}
