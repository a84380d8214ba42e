import { HoldfastError } from '../../domain/errors/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { ForgeDeliveries, SentDelivery } from '../../ports/forge-deliveries.ts'
import { mapBounded } from '../forge-http/index.ts'
import type { Identity } from './auth/credentials.ts'
import { ownerOf, repositoryPath } from './calls/paths.ts'
import { readDeliveries } from './calls/read-deliveries.ts'
import { type Covered, readRepositories } from './calls/repositories.ts'
import { concernsRepository, whereAllowed } from './calls/where-allowed.ts'
import type { Connection } from './connection.ts'
import { readArray } from './pages.ts'
import { hookSchema } from './schemas.ts'
import { unexpected } from './transport/expect.ts'

const purpose = 'resync'
const appHook = '/app/hook'

export interface DeliveriesOptions {
  /** Our public webhook address: hooks of repositories that send elsewhere are not ours. */
  readonly webhookUrl?: string | undefined
}

/** GitHub's webhook deliveries: those of the App, or with a token those of every repository's own hook. */
export function createGitHubDeliveries(
  { callAs, authority, isApp }: Connection,
  { webhookUrl }: DeliveriesOptions,
): ForgeDeliveries {
  const isOurs = (url: string | undefined) => webhookUrl !== undefined && isSameAddress(url, webhookUrl)
  const ofRepository = async ({ repository, identity }: Covered, since: Instant, signal: AbortSignal) => {
    const path = `${repositoryPath(repository)}/hooks`
    const call = callAs(identity, purpose)
    const hooks = await readArray(call, path, hookSchema, signal)
    const ours = hooks.filter(({ config }) => isOurs(config.url))
    const sent = await mapBounded(ours, ({ id }) => readDeliveries(call, `${path}/${id}`, since, signal))
    return sent.flat()
  }
  return {
    async sentSince(since, signal) {
      if (isApp) return readDeliveries(callAs({ kind: 'app' }, purpose), appHook, since, signal)
      const { covered } = await readRepositories(callAs, authority, purpose, signal)
      const managed = covered.filter(({ isManaged }) => isManaged)
      // Where we may not read hooks, we created none of them.
      const sent = await whereAllowed(managed, concernsRepository, (each) =>
        ofRepository(each, since, signal),
      )
      return sent.results.flat().sort((a: SentDelivery, b: SentDelivery) => b.sentAt - a.sentAt)
    },
    async sendAgain(id, signal) {
      const call = callAs(senderOf(id), purpose)
      const answer = await call('POST', `${id}/attempts`, signal)
      if (answer.status === 202) return 'asked'
      if (answer.status === 404 || answer.status === 422) return 'gone'
      throw unexpected(answer, `POST ${id}/attempts`)
    },
  }
}

/** The sender of a delivery: its id is its path, which names the hook's owner. */
function senderOf(id: string): Identity {
  const [, hook, owner] =
    /^(\/app\/hook|\/repos\/([^/]+)\/[^/]+\/hooks\/\d+)\/deliveries\/\d+$/.exec(id) ?? []
  if (hook === undefined) throw new HoldfastError('E_BUG', { what: `"${id}" is no delivery of GitHub` })
  return owner === undefined ? { kind: 'app' } : { kind: 'owner', owner: ownerOf(decodeURIComponent(owner)) }
}

function isSameAddress(one: string | undefined, other: string): boolean {
  if (one === undefined || !URL.canParse(one) || !URL.canParse(other)) return false
  const plain = (url: string) => new URL(url).href.replace(/\/+$/, '')
  return plain(one) === plain(other)
}
