import { createHash } from 'node:crypto'
import type { ForgeServer } from '../../adapters/postgres/ledger/index.ts'
import type { Config } from '../../platform/config/index.ts'
import { loadForgeModule } from './forges.ts'

/** An installation's name in a path and on the command line. */
const nameForm = /^[\w.:@/-]{1,100}$/
const digestLength = 16

/**
 * The server that the configuration names, by its address alone: the server numbers the jobs, so that another token or
 * App, or another of its installations, goes on with the jobs that are known.
 */
export async function forgeServerOf(settings: Config['forge']): Promise<ForgeServer> {
  const { kind, installation: name } = settings
  const url = (await loadForgeModule(kind)).serverUrl(settings)
  if (url === null) return { kind, address: kind, name }
  const { host, pathname } = new URL(url)
  const path = pathname.replace(/\/+$/, '').replace(/\/api\/v\d+$/, '')
  const address = `${kind}@${host}${path}`.toLowerCase()
  if (nameForm.test(address)) return { kind, address, name }
  const digest = createHash('sha256').update(address).digest('hex').slice(0, digestLength)
  return { kind, address: `${kind}@${digest}`, name }
}
