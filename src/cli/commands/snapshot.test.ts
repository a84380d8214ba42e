import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { cause } from '../../../test/support/holdfast-app.ts'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { aHostSample, aHostSamples } from '../../domain/death/testing.ts'
import { HoldfastError } from '../../domain/errors/index.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import { listed, minuteMs, podFact, readAt, snapshotOf, unread } from '../../domain/snapshot/testing/facts.ts'
import type { Roles, SnapshotOrder } from '../deps.ts'

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

const clock = { now: () => readAt + 5 * minuteMs, sleep: async () => {}, after: () => () => {} }

/** Roles that keep snapshots in memory and note what they are asked for. */
function memory(found: Readonly<Record<string, Snapshot>> = {}) {
  const orders: SnapshotOrder[] = []
  const files: string[] = []
  const own: Roles = {
    ...roles,
    async collectSnapshot(_, order) {
      orders.push(order)
      order.onProgress?.('pods: 4,000 read')
      return snapshotOf()
    },
    async readSnapshot(file) {
      const snapshot = found[file]
      if (snapshot === undefined) throw new HoldfastError('E_SNAPSHOT_UNREADABLE', { file, reason: 'ENOENT' })
      return snapshot
    },
    async writeSnapshot(file, { collect }) {
      files.push(file)
      return { snapshot: await collect(), bytes: 1_500 }
    },
  }
  return { orders, files, deps: { roles: own, clock } }
}

describe('holdfast snapshot save', () => {
  it('hands on where to read and what to leave out, and says where it was saved', async () => {
    const { orders, files, deps } = memory()
    const { code, out } = await cli.runWith(
      deps,
      ...['snapshot', 'save', 'a.gz', '--kubeconfig', 'k.yaml', '--context', 'prod'],
      ...['--namespace', 'arc', '--namespace', 'arc-systems', '--label', 'linux', '--node', 'n1'],
      ...['--github-runners-json', 'acme=r.json', '--github-runners-json', './a=b.json'],
      ...['--github-jobs-json', 'j.json', '--github-job-log', '87=a=b.log'],
    )
    expect([code, files]).toEqual([0, ['a.gz']])
    expect(orders).toMatchObject([
      {
        kubeconfig: 'k.yaml',
        context: 'prod',
        scope: { namespaces: ['arc', 'arc-systems'], labels: ['linux'], nodes: ['n1'] },
        files: {
          runners: [
            { scope: 'acme', path: 'r.json' },
            { scope: null, path: './a=b.json' },
          ],
          jobs: ['j.json'],
          logs: [{ jobId: 87, path: 'a=b.log' }],
        },
      },
    ])
    expect(out).toContain('Saved to a.gz (1.5 KiB).')
  })

  it('refuses the log of no job', async () => {
    const { deps } = memory()
    const { code, err } = await cli.runWith(deps, 'snapshot', 'save', 'a.gz', '--github-job-log', 'job.log')
    expect(code).toBe(2)
    expect(err).toContain(
      '--github-job-log "job.log" names no job: expected <job>=<file>, such as 87=job.log',
    )
  })

  it('names the file by the time where none is given, and gives one JSON document with --json', async () => {
    const { files, deps } = memory()
    const { out } = await cli.runWith(deps, 'snapshot', 'save', '--json')
    expect(files).toEqual(['holdfast-2026-06-01T03-05-00Z.snapshot.gz'])
    expect(JSON.parse(out)).toMatchObject({
      file: files[0],
      bytes: 1_500,
      id: 'test',
      lists: expect.any(Array),
    })
  })

  it('shows progress where stderr is a terminal, and erases it; elsewhere it shows none', async () => {
    const { deps } = memory()
    const shown = await cli.runWith({ ...deps, isErrorTerminal: true }, 'snapshot', 'save', 'a.gz')
    expect(shown.err).toContain('pods: 4,000 read')
    expect(shown.err.endsWith('\r\u001b[2K')).toBe(true)
    expect((await cli.runWith(deps, 'snapshot', 'save', 'a.gz')).err).toBe('')
  })
})

describe('the pools of a Holdfast that runs', () => {
  it('are facts like those of any fleet: sets, and runners with their jobs', async () => {
    const { ledger } = cli.bench
    await ledger.heartbeat({ id: 'kubernetes:0b1c/ci', kind: 'kubernetes' })
    const row = { name: 'linux-1', pool: 'linux', host: 'kubernetes:0b1c/ci', identityHash: 'h' }
    await ledger.enrol({ ...row, bootDeadlineMs: 60_000 }, cause)
    const { orders, deps } = memory()
    await cli.runWith(deps, 'snapshot', 'save', 'a.gz')
    const [order] = orders
    expect(order?.ownPools).toMatchObject({
      scaleSets: { source: 'ledger', items: [{ namespace: 'ci', name: 'linux', origin: 'holdfast' }] },
      runners: {
        source: 'ledger',
        unread: [],
        items: [
          {
            namespace: 'ci',
            name: 'linux-1',
            origin: 'holdfast',
            scaleSet: { namespace: 'ci', name: 'linux' },
            phase: 'booting',
            isReady: false,
            job: null,
          },
        ],
      },
    })
  })

  it('come with what the agents saw of their nodes', async () => {
    const sample = aHostSample({ nodeFilesOpen: 970, nodeFilesMax: 1_000 })
    await cli.bench.ledger.putHostSamples(aHostSamples({ node: 'node-1', samples: [sample] }))
    const { orders, deps } = memory()
    await cli.runWith(deps, 'snapshot', 'save', 'a.gz')
    expect(orders[0]?.ownPools).toMatchObject({
      nodeProbes: {
        source: 'agent',
        items: [{ node: 'node-1', at: sample.at, fileTable: { allocated: 970, max: 1_000 }, workers: null }],
        unread: [],
      },
    })
  })

  it('have no probes of nodes where Holdfast is too old to say them, and everything else', async () => {
    const { orders, deps } = memory()
    const older = async (...[input, init]: Parameters<typeof fetch>) =>
      String(input).includes('/v1/nodes') ? new Response('{}', { status: 404 }) : fetch(input, init)
    await cli.runWith({ ...deps, fetch: older }, 'snapshot', 'save', 'a.gz')
    expect(orders[0]?.ownPools).toMatchObject({
      scaleSets: { unread: [] },
      nodeProbes: { items: [], unread: [{ what: 'probes of nodes' }] },
    })
  })

  it('are left out without a word where none answers, and are unread where one was named', async () => {
    const { orders, deps } = memory()
    const nowhere = { ...deps, fetch: async () => Promise.reject(new Error('ECONNREFUSED')) }
    await cli.runWith(nowhere, 'snapshot', 'save', 'a.gz')
    await cli.runWith(nowhere, 'snapshot', 'save', 'a.gz', '--url', 'http://127.0.0.1:9')
    expect(orders.map(({ ownPools }) => ownPools)).toMatchObject([
      null,
      { what: "Holdfast's own pools", why: expect.stringContaining('ECONNREFUSED') },
    ])
  })
})

describe('holdfast snapshot show', () => {
  it('says what is in it, how old it is, what is unread and why, and the cost', async () => {
    const saved = snapshotOf({
      cluster: { pods: listed([podFact('a')]), secrets: unread('secrets'), events: unread('events') },
      snapshot: { cost: { requests: 12, bytes: 5_000, ms: 3_000 } },
    })
    const { code, out } = await cli.runWith(memory({ 'a.gz': saved }).deps, 'snapshot', 'show', 'a.gz')
    expect(code).toBe(0)
    expect(out).toContain('Snapshot   test, taken 5 min ago (2026-06-01T03:00:00.000Z) by holdfast test')
    expect(out).toContain('Cost       12 requests, 4.9 KiB, 3 s')
    expect(out).toMatch(/^pods +1 +cluster +after 0 s +yes$/m)
    expect(out).toContain('Not read:\n  events\n    why   forbidden\n    needs list events\n')
  })

  it('says that everything was read where it was', async () => {
    const { out } = await cli.runWith(memory({ 'a.gz': snapshotOf() }).deps, 'snapshot', 'show', 'a.gz')
    expect(out).toContain('Everything was read.')
  })

  it('ends with the code of a file that is not there', async () => {
    const { code, err } = await cli.runWith(memory().deps, 'snapshot', 'show', 'none.gz')
    expect([code, err]).toEqual([6, expect.stringContaining('E_SNAPSHOT_UNREADABLE')])
  })
})

describe('holdfast snapshot diff', () => {
  const before = snapshotOf({ cluster: { pods: listed([podFact('a'), podFact('b')]) } })
  const after = snapshotOf({
    cluster: { pods: listed([podFact('b', { phase: 'Failed' }), podFact('c')]) },
    snapshot: { id: 'later', takenAt: readAt + minuteMs, hashScope: 'other' },
  })

  it('prints what was added, removed and changed, and what cannot be compared', async () => {
    const { deps } = memory({ a: before, b: after })
    const { code, out } = await cli.runWith(deps, 'snapshot', 'diff', 'a', 'b')
    expect(code).toBe(0)
    expect(out).toBe(`test → later, 1 min later

pods
  + arc-runners/c
  - arc-runners/a
  ~ arc-runners/b
      phase: "Running" → "Failed"

Values of secrets cannot be compared: their hashes have different keys (test and
other). Names, types and key names are.
`)
  })

  it('gives the same as JSON, and says that nothing differs where nothing does', async () => {
    const { deps } = memory({ a: before, b: after })
    const { out } = await cli.runWith(deps, 'snapshot', 'diff', 'a', 'b', '--json')
    expect(JSON.parse(out)).toMatchObject({ isSame: false, kinds: [{ list: 'cluster.pods' }] })
    expect((await cli.runWith(deps, 'snapshot', 'diff', 'a', 'a')).out).toContain('Nothing differs.')
  })
})
