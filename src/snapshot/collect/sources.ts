import { HoldfastError } from '../../domain/errors/index.ts'
import { reasonOf } from '../../domain/reason.ts'
import {
  type ClusterFacts,
  type FactSource,
  type ForgeFacts,
  type Listing,
  type Unread,
  unreadListing,
} from '../../domain/snapshot/index.ts'
import type { Instant } from '../../domain/time.ts'
import type { ClusterReading } from '../../ports/cluster-facts.ts'
import type { ForgeFactsRead } from '../../ports/forge-facts.ts'
import { clusterKinds, forgeKinds } from '../kinds.ts'
import { type ForgeQuestions, forgeOrder } from './forge-order.ts'
import type { CollectDeps, CollectOrder } from './order.ts'

/** The cluster's facts; all unread where it fails, with the failure. */
export async function readCluster(
  { scope, onProgress }: CollectOrder,
  { cluster, hashes, clock }: CollectDeps,
  signal: AbortSignal,
): Promise<ClusterReading & { readonly failure: unknown }> {
  try {
    const progress = onProgress === undefined ? {} : { onProgress }
    const reading = await cluster.readClusterFacts({ scope, hash: hashes.hash, ...progress }, signal)
    return { ...reading, failure: null }
  } catch (failure) {
    signal.throwIfAborted()
    return {
      clusterName: null,
      clusterVersion: null,
      cost: { requests: 0, bytes: 0, ms: 0 },
      facts: allUnread<ClusterFacts>(clusterKinds, 'cluster', clock.now(), failure),
      failure,
    }
  }
}

/** The forge's facts; all unread where it fails or nobody asked, with the failure. */
export async function readForge(
  cluster: ClusterFacts,
  order: CollectOrder,
  { forge, clock }: CollectDeps,
  signal: AbortSignal,
): Promise<ForgeFactsRead & { readonly failure: unknown }> {
  const nothing = (failure: unknown) => ({
    facts: allUnread<ForgeFacts>(forgeKinds, 'forge', clock.now(), failure),
    requests: 0,
    bytes: 0,
    failure,
  })
  if (forge === null) return nothing(notAsked)
  try {
    order.onProgress?.('forge: reading')
    const sets = cluster.scaleSets.items
    const { order: asked, elsewhere } = forgeOrder(sets, order, forge.host, clock.now())
    const read = await forge.readForgeFacts(asked, signal)
    return { ...read, facts: withElsewhere(read.facts, elsewhere), failure: null }
  } catch (failure) {
    signal.throwIfAborted()
    return nothing(failure)
  }
}

/** Another server was not asked about its organisations and repositories, and the one of the settings knows nothing of them. */
function withElsewhere(facts: ForgeFacts, elsewhere: ForgeQuestions['elsewhere']): ForgeFacts {
  const unread = (kind: 'runners' | 'jobs'): Unread[] => {
    const parts = elsewhere.map(({ host, scope }) => `${kind} of ${scope} at ${host}`)
    const why = 'the forge of the settings is another server'
    return [...new Set(parts)].map((what) => ({
      what,
      why,
      needs: 'forge.url of that server, with a credential',
    }))
  }
  const also = <T>(listing: Listing<T>, parts: readonly Unread[]): Listing<T> => {
    return { ...listing, unread: [...listing.unread, ...parts] }
  }
  return {
    ...facts,
    runners: also(facts.runners, unread('runners')),
    jobs: also(facts.jobs, unread('jobs')),
  }
}

/** In place of a failure. */
export const notAsked: Omit<Unread, 'what'> = {
  why: 'no forge was asked',
  needs: 'a credential of the forge in the settings, or --github-runners-json and --github-jobs-json',
}

/** Each list of a source that did not answer. */
function allUnread<Facts>(
  kinds: Readonly<Record<keyof Facts & string, string>>,
  source: FactSource,
  at: Instant,
  failure: unknown,
): Facts {
  const { why, needs } = failure === notAsked ? notAsked : failed(failure)
  const lists = Object.entries<string>(kinds).map(([kind, what]) => [
    kind,
    unreadListing(source, at, { what, why, needs }),
  ])
  return Object.fromEntries(lists) as Facts
}

function failed(failure: unknown): Omit<Unread, 'what'> {
  return { why: reasonOf(failure), needs: failure instanceof HoldfastError ? failure.entry.hint : null }
}
