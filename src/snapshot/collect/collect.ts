import { type Listing, type Snapshot, snapshotVersion } from '../../domain/snapshot/index.ts'
import { clusterKinds, forgeKinds } from '../kinds.ts'
import { cleanListing } from './clean.ts'
import { createMask } from './mask.ts'
import type { CollectDeps, CollectOrder } from './order.ts'
import { type OwnPools, withOwnPools } from './own-pools.ts'
import { notAsked, readCluster, readForge } from './sources.ts'

const idBytes = 8

/**
 * Joins what cluster, forge and a running Holdfast say. A source that fails is unread in the snapshot and stops nothing;
 * where nothing at all could be read, a failure is thrown, unless that is allowed.
 */
export async function collectSnapshot(
  order: CollectOrder,
  deps: CollectDeps,
  signal: AbortSignal,
): Promise<Snapshot> {
  const { clock, hashes } = deps
  const startedAt = clock.now()
  const cluster = await readCluster(order, deps, signal)
  const facts = withOwnPools(cluster.facts, order.ownPools)
  const forge = await readForge(facts, order, deps, signal)
  const isEmpty = cluster.failure !== null && forge.failure !== null && !isPools(order.ownPools)
  if (isEmpty && !order.mayBeEmpty) {
    throw forge.failure === notAsked ? cluster.failure : forge.failure
  }
  const mask = createMask(deps.redactor)
  const cleaned = (what: string, listing: Listing<unknown>) => cleanListing(what, listing, mask)
  return {
    version: snapshotVersion,
    id: Buffer.from(deps.entropy.bytes(idBytes)).toString('hex'),
    takenAt: startedAt,
    program: deps.program,
    clusterName: cluster.clusterName,
    clusterVersion: cluster.clusterVersion,
    scope: order.scope,
    hashScope: hashes.scope,
    cost: {
      requests: cluster.cost.requests + forge.requests,
      bytes: cluster.cost.bytes + forge.bytes,
      ms: clock.now() - startedAt,
    },
    cluster: eachListing(clusterKinds, facts, cleaned),
    forge: eachListing(forgeKinds, forge.facts, cleaned),
  }
}

type Lists<Facts> = { readonly [Kind in keyof Facts]: Listing<unknown> }

function eachListing<Facts extends Lists<Facts>>(
  kinds: Readonly<Record<keyof Facts & string, string>>,
  facts: Facts,
  change: (what: string, listing: Listing<unknown>) => Listing<unknown>,
): Facts {
  const lists = Object.entries<string>(kinds).map(([kind, what]) => [
    kind,
    change(what, facts[kind as keyof Facts]),
  ])
  return Object.fromEntries(lists) as Facts
}

function isPools(pools: CollectOrder['ownPools']): pools is OwnPools {
  return pools !== null && 'scaleSets' in pools
}
