import { createRedactor } from '../../domain/redact/index.ts'
import { readAt, snapshotOf } from '../../domain/snapshot/testing/facts.ts'
import type { ClusterFactsReader } from '../../ports/cluster-facts.ts'
import type { ForgeFactsReader } from '../../ports/forge-facts.ts'
import type { CollectDeps, CollectOrder } from '../collect/order.ts'

const { cluster, forge } = snapshotOf()

export const orderOfAll: CollectOrder = {
  scope: { namespaces: null, labels: null, nodes: null },
  ownPools: null,
}

export function clusterThat(facts = cluster): ClusterFactsReader {
  return {
    readClusterFacts: async () => ({
      clusterName: 'prod',
      clusterVersion: 'v1.34.4',
      facts,
      cost: { requests: 10, bytes: 1_000, ms: 500 },
    }),
  }
}

export function forgeThat(facts = forge): ForgeFactsReader {
  return { host: null, readForgeFacts: async () => ({ facts, requests: 2, bytes: 50 }) }
}

/** A collection of an empty, healthy fleet; a test names what differs. */
export function collecting(given: Partial<CollectDeps> = {}): CollectDeps {
  return {
    cluster: clusterThat(),
    forge: forgeThat(),
    hashes: { scope: 'test', hash: () => 'f00' },
    redactor: createRedactor({ values: ['s3cr3t-of-the-settings'] }),
    clock: { now: () => readAt },
    entropy: { bytes: (count) => new Uint8Array(count).fill(7), fraction: () => 0.5 },
    program: '0.1.0',
    ...given,
  }
}
