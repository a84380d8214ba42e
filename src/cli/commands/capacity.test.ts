import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CliBench, createCliBench, roles } from '../../../test/support/holdfast-cli.ts'
import { healthyFleet } from '../../domain/audit/testing/healthy-fleet.ts'
import { gi, laneSet, poolNode } from '../../domain/capacity/testing.ts'
import type { Snapshot } from '../../domain/snapshot/index.ts'
import {
  listed,
  objectFact,
  readAt,
  snapshotOf,
  unread,
  waitingState,
} from '../../domain/snapshot/testing/facts.ts'

const lane = laneSet('linux', 'a', 10, [{ memory: [4, 8] }])
const tight = snapshotOf({
  cluster: {
    scaleSets: listed([lane]),
    nodes: listed([poolNode('a-1', 'a', [16, 30, 100])]),
    quotas: listed([{ ...objectFact('runners'), isScoped: false, hard: { pods: 8 }, used: { pods: 0 } }]),
  },
})
const ample = snapshotOf({
  cluster: { scaleSets: listed([lane]), nodes: listed([poolNode('a-1', 'a', [16, 300, 900])]) },
})

let cli: CliBench
beforeEach(async () => {
  cli = await createCliBench()
})
afterEach(() => cli.close())

function run(snapshot: Snapshot, ...args: string[]) {
  const over = { roles: { ...roles, readSnapshot: async () => snapshot } }
  return cli.runWith(over, 'capacity', ...args, '--snapshot', 'fleet.snapshot')
}

describe('holdfast capacity check', () => {
  it('shows declared against schedulable, what one more slot needs, and what the maximum asks of the nodes', async () => {
    const { code, out } = await run(tight, 'check')
    expect(out).toBe(`label  declared  fits now  at full load  running  pending
linux  10        7         7             0        0

  linux, now: one more slot needs 2 GiB memory on a-1 (linux).
  linux, with every other lane at its maximum: one more slot needs 2 GiB memory
    on a-1 (linux).

With every lane at its declared maximum:
  a-1: 40 GiB memory requested of 30 GiB, limits 2.7 times that
`)
    expect(code).toBe(1)
  })

  it('ends with 0 where every label reaches its maximum, and with 2 where facts are unknown', async () => {
    expect((await run(ample, 'check')).code).toBe(0)
    const blind = { ...ample, cluster: { ...ample.cluster, quotas: unread<never>('resourcequotas') } }
    const { code, out } = await run(blind, 'check')
    expect(code).toBe(2)
    expect(out).toContain('resourcequotas: forbidden')
  })

  it('gives no figure where no node could be read, and one where there is truly none', async () => {
    const blind = { ...ample, cluster: { ...ample.cluster, nodes: unread<never>('nodes') } }
    const { code, out } = await run(blind, 'check')
    expect([code, out]).toEqual([
      2,
      expect.stringMatching(
        /^No node could be read, so it cannot be judged how many runners fit:\n {2}nodes: forbidden/,
      ),
    ])
    expect((await run(blind, 'what-if', '--max', 'linux=4')).out).toMatch(/^No node could be read/)
    expect((await run(blind, 'what-if', '--max', 'linux=40')).out).toMatch(
      /^Refused: [\s\S]*No node could be read/,
    )
    const empty = { ...ample, cluster: { ...ample.cluster, nodes: listed([]) } }
    expect((await run(empty, 'check')).out).toMatch(/linux +10 +0 +0/)
  })

  it('gives the same as one JSON document', async () => {
    const { out } = await run(tight, 'check', '--json')
    expect(JSON.parse(out)).toMatchObject({ labels: [{ label: 'linux', declared: 10, effective: 7 }] })
  })
})

describe('filesystems in a capacity check', () => {
  const hourMs = 3_600_000
  const usedAt = (at: number, availableGi: number, inodesFree: number) => {
    const disk = (free: number) => ({
      availableBytes: free * gi,
      capacityBytes: 100 * gi,
      usedBytes: null,
      inodesFree,
      inodes: 1_000,
    })
    const usage = {
      ...{ node: 'a-1', at, nodefs: disk(availableGi), imagefs: disk(80) },
      ...{ memoryAvailableBytes: null, processesMax: null, processes: null, pods: [] },
    }
    const settings = {
      ...{ node: 'a-1', maxPods: null, imageGcHighPercent: null },
      evictionHard: { 'nodefs.available': '10%' },
    }
    return {
      ...ample,
      cluster: { ...ample.cluster, nodeUsage: listed([usage]), nodeSettings: listed([settings]) },
    }
  }
  const now = usedAt(readAt, 40, 500)
  const checked = (before: Snapshot | null) => {
    const readSnapshot = async (file: string) => (file === 'before.snapshot' && before ? before : now)
    const earlier = before === null ? [] : ['--earlier', 'before.snapshot']
    const over = { roles: { ...roles, readSnapshot } }
    return cli.runWith(over, 'capacity', 'check', '--snapshot', 'fleet.snapshot', ...earlier)
  }

  it('have headroom until the kubelet evicts, and no runway without an earlier snapshot', async () => {
    const { out, code } = await checked(null)
    expect(out).toContain('a-1   nodefs bytes    40 GiB  100 GiB  30 GiB          unknown')
    expect(out).toContain('imagefs inodes')
    expect(out).toContain('needs a rate: --earlier')
    expect(code).toBe(0)
  })

  it('last as long as the rate between two snapshots says, the first to be full ahead', async () => {
    const { out } = await checked(usedAt(readAt - hourMs, 50, 500))
    const rows = out.slice(out.indexOf('Filesystems')).split('\n')
    expect(rows[2]).toContain('nodefs bytes')
    expect(rows[2]).toContain('3 h')
    expect(rows[3]).toContain('does not fill')
  })

  it('are unknown with the reason where kubelets were not read', async () => {
    const blind = { ...ample, cluster: { ...ample.cluster, nodeUsage: unread<never>('nodes/proxy') } }
    const { out, code } = await run(blind, 'check')
    expect(out).toContain('Filesystems of the kubelets are unknown:')
    expect(out).toContain('not read: nodes/proxy: forbidden')
    expect(code).toBe(0)
  })
})

describe('the facts of a capacity check', () => {
  it('are those of the whole fleet, whatever label is asked for', async () => {
    const scopes: unknown[] = []
    const collectSnapshot: typeof roles.collectSnapshot = async (_config, { scope }) => {
      scopes.push(scope)
      return tight
    }
    const { out } = await cli.runWith(
      { roles: { ...roles, collectSnapshot } },
      'capacity',
      'check',
      '--label',
      'linux',
    )
    expect(scopes).toEqual([{ namespaces: null, labels: null, nodes: null }])
    expect(out).toContain('linux')
  })
})

describe('holdfast capacity what-if', () => {
  it('shows each label before and after, also where a raise is refused', async () => {
    const { code, out } = await run(
      tight,
      'what-if',
      '--node-added',
      'a-1=1',
      '--quota',
      'arc-runners/runners/pods=9',
    )
    expect(out).toContain('linux  10        7 → 9     7 → 9')
    expect(code).toBe(5)
  })

  it.each([
    [['--node-gone', 'a-9'], /no node a-9; there are: a-1/],
    [['--max', 'linux'], /--max: expected name=value; got linux/],
    [['--max', 'linux=many'], /--max: expected a whole number up to 10000; got many/],
    [['--quota', 'runners=3'], /expected namespace\/name\/resource=amount/],
    [[], /suppose something/],
  ])('refuses %j with what was expected', async (args, message) => {
    const { code, err } = await run(tight, 'what-if', ...args)
    expect(code).toBe(2)
    expect(err).toMatch(message)
  })
})

describe('a raise in holdfast capacity what-if', () => {
  const fleet = healthyFleet({ sets: 2, runnersPerSet: 3, nodes: 1 })
  const state = waitingState('ImagePullBackOff', 'Back-off pulling image')
  const status = { name: 'runner', isReady: false, restarts: 0, imageId: null, state, lastState: null }
  const pods = fleet.cluster.pods.items.map((pod) =>
    pod.name === 'set-0-runner-0' ? { ...pod, phase: 'Pending' as const, statuses: [status] } : pod,
  )
  const broken = { ...fleet, cluster: { ...fleet.cluster, pods: listed(pods) } }
  const blind = { ...fleet, forge: { ...fleet.forge, jobs: unread<never>('jobs') } }

  it('is refused first, with findings, evidence and next action; figures follow, and no recommendation', async () => {
    const { code, out } = await run(broken, 'what-if', '--max', 'set-0=90')
    expect(code).toBe(5)
    expect(out).toMatch(/^Refused: a higher maximum for label-0, by 1 open finding\./)
    expect(out).toContain('set-0-runner-0: ')
    expect(out).toContain('$ holdfast audit pull-secrets')
    expect(out).toMatch(/The figures, and no recommendation:\n.*\nlabel-0 +6 → 90/)
    expect(out).not.toContain('one more slot needs')
  })

  it('is refused in JSON too, without what limits the label then', async () => {
    const { code, out } = await run(broken, 'what-if', '--max', 'set-0=90', '--label', 'label-0', '--json')
    expect(code).toBe(5)
    expect(JSON.parse(out)).toMatchObject({
      isRecommendationWithheld: true,
      raises: [
        {
          ...{ verdict: 'refused', kind: 'maximum', labels: ['label-0'] },
          refusals: [{ group: 'image-pull', finding: { class: 'image-pull-blocked' } }],
        },
      ],
      after: [{ atCurrentLoad: { limiter: null }, atDeclaredLoad: { limiter: null } }],
    })
  })

  it('is not allowed where facts are missing, which it names', async () => {
    const { code, out } = await run(blind, 'what-if', '--max', 'set-0=7')
    expect(out).toMatch(/^Not allowed: a higher maximum for label-0\. Nothing was found against it/)
    expect(out).toContain('shared-label-fairness-contention')
    expect(code).toBe(2)
  })

  it('is allowed where nothing stands against it, and has its recommendation', async () => {
    const { code, out } = await run(fleet, 'what-if', '--max', 'set-0=90')
    expect(out).toMatch(/^Allowed: a higher maximum for label-0\./)
    expect(out).toContain('one more slot needs')
    expect(code).toBe(1)
  })

  it('is not asked about where something only goes away', async () => {
    const { out } = await run(broken, 'what-if', '--max', 'set-0=1')
    expect(out).toMatch(/^label /)
  })
})
