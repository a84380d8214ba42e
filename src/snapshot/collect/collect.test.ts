import { describe, expect, it } from 'vitest'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { NodeProbeFact } from '../../domain/snapshot/index.ts'
import {
  containerFact,
  listed,
  nodeFact,
  podFact,
  readAt,
  runnerFact,
  scaleSetFact,
  snapshotOf,
  unread,
} from '../../domain/snapshot/testing/facts.ts'
import type { ForgeFactsOrder } from '../../ports/forge-facts.ts'
import { clusterThat, collecting, forgeThat, orderOfAll } from '../testing/collecting.ts'
import { collectSnapshot } from './collect.ts'

const never = new AbortController().signal
const away = new HoldfastError('E_CLUSTER_UNREACHABLE', { call: 'GET /version', reason: 'ECONNREFUSED' })
const failing = async () => {
  throw away
}

describe('a collection', () => {
  it('joins cluster and forge, with what both cost', async () => {
    const { cluster, forge } = snapshotOf({ cluster: { pods: unread('pods', [podFact('a')]) } })
    const deps = collecting({ cluster: clusterThat(cluster), forge: forgeThat(forge) })
    const snapshot = await collectSnapshot(orderOfAll, deps, never)
    expect(snapshot).toEqual({
      version: 1,
      id: '0707070707070707',
      takenAt: readAt,
      program: '0.1.0',
      clusterName: 'prod',
      clusterVersion: 'v1.34.4',
      scope: orderOfAll.scope,
      hashScope: 'test',
      cost: { requests: 12, bytes: 1_050, ms: 0 },
      cluster,
      forge,
    })
  })

  it('keeps the facts of the forge where the cluster is away, and says why each list is unread', async () => {
    const snapshot = await collectSnapshot(
      orderOfAll,
      collecting({ cluster: { readClusterFacts: failing } }),
      never,
    )
    expect(snapshot.cluster.pods).toEqual({
      source: 'cluster',
      at: readAt,
      items: [],
      unread: [{ what: 'pods', why: away.message, needs: away.entry.hint }],
    })
    expect(Object.values(snapshot.cluster).every(({ unread: [part] }) => part?.why === away.message)).toBe(
      true,
    )
    expect(snapshot.forge.runners.unread).toEqual([])
  })

  it('keeps the facts of the cluster where the forge is away, or nobody asked it', async () => {
    const failed = await collectSnapshot(
      orderOfAll,
      collecting({ forge: { host: null, readForgeFacts: failing } }),
      never,
    )
    expect(failed.forge.jobs.unread).toMatchObject([{ what: "the forge's jobs", why: away.message }])
    const { forge, cluster } = await collectSnapshot(orderOfAll, collecting({ forge: null }), never)
    expect(forge.budgets.unread).toMatchObject([
      { why: 'no forge was asked', needs: expect.stringContaining('--github-runners-json') },
    ])
    expect(cluster.pods.unread).toEqual([])
  })

  it('fails where nothing at all could be read', async () => {
    const deps = collecting({ cluster: { readClusterFacts: failing }, forge: null })
    await expect(collectSnapshot(orderOfAll, deps, never)).rejects.toBe(away)
    const empty = await collectSnapshot({ ...orderOfAll, mayBeEmpty: true }, deps, never)
    expect(empty.cluster.pods).toMatchObject({ items: [], unread: [{ what: 'pods' }] })
  })

  it('ends when it is interrupted, and saves no half of it', async () => {
    const interrupted = AbortSignal.abort(new Error('interrupted'))
    const deps = collecting({ cluster: { readClusterFacts: failing } })
    await expect(collectSnapshot(orderOfAll, deps, interrupted)).rejects.toThrow('interrupted')
  })

  it('asks the forge about the organisations and repositories of the scale sets, each once', async () => {
    const urls = [
      'https://github.com/acme',
      'https://github.com/acme/web',
      'https://ghe.example/acme/',
      'https://github.com/enterprises/acme',
      'no URL',
    ]
    const sets = urls.map((configUrl, at) => scaleSetFact(`set-${at}`, { configUrl }))
    const asked: ForgeFactsOrder[] = []
    const forge = {
      host: 'github.com',
      readForgeFacts: async (order: ForgeFactsOrder) => {
        asked.push(order)
        return { facts: snapshotOf().forge, requests: 0, bytes: 0 }
      },
    }
    const { cluster } = snapshotOf({ cluster: { scaleSets: listed(sets) } })
    const order = { ...orderOfAll, jobs: [{ repository: 'acme/web', jobId: 7 }] }
    const snapshot = await collectSnapshot(order, collecting({ cluster: clusterThat(cluster), forge }), never)
    expect(asked).toMatchObject([
      { runnerScopes: ['acme', 'acme/web'], isCoveredWanted: false, jobs: order.jobs, runs: [] },
    ])
    expect(snapshot.forge.runners.unread).toMatchObject([{ what: 'runners of acme at ghe.example' }])
    expect(snapshot.forge.jobs.unread).toMatchObject([
      { what: 'jobs of acme at ghe.example', needs: expect.stringContaining('forge.url') },
    ])
  })

  it('asks for the runners of everything that is covered where Holdfast has pools, and not where it has none', async () => {
    const wanted: boolean[] = []
    const forge = {
      host: 'gitea.example',
      readForgeFacts: async ({ isCoveredWanted }: ForgeFactsOrder) => {
        wanted.push(isCoveredWanted)
        return { facts: snapshotOf().forge, requests: 0, bytes: 0 }
      },
    }
    const own = scaleSetFact('own', { origin: 'holdfast', configUrl: null })
    const ownPools = { scaleSets: listed([own]), runners: listed([]), nodeProbes: listed([]) }
    await collectSnapshot({ ...orderOfAll, ownPools }, collecting({ forge }), never)
    await collectSnapshot(orderOfAll, collecting({ forge }), never)
    expect(wanted).toEqual([true, false])
  })
})

describe('our own pools', () => {
  const probe = (node: string): NodeProbeFact => ({
    node,
    at: readAt,
    fileTable: { allocated: 1, max: 9 },
    openFilesMax: null,
    workers: null,
  })
  const ownPools = {
    scaleSets: { ...listed([scaleSetFact('linux', { origin: 'holdfast' })]), source: 'ledger' as const },
    runners: { ...listed([runnerFact('linux-1', { origin: 'holdfast' })]), source: 'ledger' as const },
    nodeProbes: { ...listed([probe('node-1')]), source: 'agent' as const },
  }

  it('stand in the lists of all fleets', async () => {
    const { cluster } = snapshotOf({ cluster: { scaleSets: listed([scaleSetFact('theirs')]) } })
    const deps = collecting({ cluster: clusterThat(cluster) })
    const { scaleSets, runners } = (await collectSnapshot({ ...orderOfAll, ownPools }, deps, never)).cluster
    expect(scaleSets.items.map(({ name, origin }) => [name, origin])).toEqual([
      ['theirs', 'arc'],
      ['linux', 'holdfast'],
    ])
    expect([scaleSets.source, runners.source]).toEqual(['cluster', 'ledger'])
  })

  it('bring the probes of their agents, and name the nodes without one', async () => {
    const nodes = listed([nodeFact('node-1'), nodeFact('node-2')])
    const deps = collecting({ cluster: clusterThat(snapshotOf({ cluster: { nodes } }).cluster) })
    const { nodeProbes } = (await collectSnapshot({ ...orderOfAll, ownPools }, deps, never)).cluster
    expect(nodeProbes).toMatchObject({
      source: 'agent',
      items: [{ node: 'node-1', fileTable: { allocated: 1, max: 9 } }],
      unread: [{ what: 'probes of 1 node, node-2 first', needs: 'the agent on every node' }],
    })
  })

  it('that have an agent on every node leave no probe unread', async () => {
    const nodes = listed([nodeFact('node-1')])
    const deps = collecting({ cluster: clusterThat(snapshotOf({ cluster: { nodes } }).cluster) })
    const { nodeProbes } = (await collectSnapshot({ ...orderOfAll, ownPools }, deps, never)).cluster
    expect(nodeProbes.unread).toEqual([])
  })

  it('have the template of their newest pod', async () => {
    const pod = (name: string, minutes: number, image: string) =>
      podFact(name, {
        labels: { 'holdfast.dev/pool': 'linux' },
        createdAt: readAt - minutes * 60_000,
        containers: [containerFact({ image })],
      })
    const pods = listed([pod('a', 5, 'runner:1'), pod('b', 1, 'runner:2'), pod('c', 9, 'runner:0')])
    const deps = collecting({ cluster: clusterThat(snapshotOf({ cluster: { pods } }).cluster) })
    const { cluster } = await collectSnapshot({ ...orderOfAll, ownPools }, deps, never)
    expect(cluster.scaleSets.items[0]?.template.containers).toMatchObject([{ image: 'runner:2' }])
  })

  it('that were asked for and do not answer are unread, and others are not', async () => {
    const part = { what: "Holdfast's own pools", why: 'ECONNREFUSED', needs: null }
    const asked = await collectSnapshot({ ...orderOfAll, ownPools: part }, collecting(), never)
    expect([asked.cluster.scaleSets.unread, asked.cluster.runners.unread]).toEqual([[part], [part]])
    expect(asked.cluster.pods.unread).toEqual([])
    const { cluster } = await collectSnapshot(orderOfAll, collecting(), never)
    expect(cluster.scaleSets.unread).toEqual([])
  })
})

describe('the bounds of a snapshot', () => {
  it('cut what is over them, and say so', async () => {
    const pods = Array.from({ length: 100_002 }, (_, at) => ({ ...small, name: `pod-${at}` }))
    const lines = Array.from({ length: 10_001 }, (_, at) => `line ${at}`)
    const log = { pod: small, container: 'runner', role: 'runner', lines, isCut: false } as const
    const cluster = { ...snapshotOf().cluster, claims: listed(pods), logs: listed([log]) }
    const deps = collecting({ cluster: clusterThat(cluster) })
    const { claims, logs } = (await collectSnapshot(orderOfAll, deps, never)).cluster
    expect(claims.items).toHaveLength(100_000)
    expect(claims.unread).toMatchObject([{ what: '2 of persistent volume claims' }])
    expect(logs.items[0]?.isCut).toBe(true)
    expect([logs.items[0]?.lines.length, logs.items[0]?.lines.at(-1)]).toEqual([10_000, 'line 10000'])
  })

  it('shorten a long text, and note an object with too many parts', async () => {
    const finalizers = Array.from({ length: 10_001 }, () => 'f')
    const pod = podFact('a', { message: 'x'.repeat(20_000), finalizers })
    const deps = collecting({
      cluster: clusterThat(snapshotOf({ cluster: { pods: listed([pod]) } }).cluster),
    })
    const { items, unread: noted } = (await collectSnapshot(orderOfAll, deps, never)).cluster.pods
    expect(items[0]?.message).toHaveLength(16 * 1024)
    expect(items[0]?.finalizers).toHaveLength(10_000)
    expect(noted).toMatchObject([{ what: 'parts of 1 pods' }])
  })
})

const small = {
  namespace: 'n',
  name: 'a',
  uid: 'u',
  resourceVersion: '1',
  createdAt: null,
  deletedAt: null,
  finalizers: [],
  phase: 'Bound',
  storageClass: null,
  requestedBytes: null,
  volume: null,
}
