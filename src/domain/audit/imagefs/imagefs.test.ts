import { describe, expect, it } from 'vitest'
import type { NodeFact, NodeSettingsFact, NodeUsageFact } from '../../snapshot/index.ts'
import {
  containerFact,
  listed,
  minuteMs,
  nodeFact,
  readAt,
  scaleSetFact,
  snapshotOf,
  templateFact,
  unread,
} from '../../snapshot/testing/facts.ts'
import { found, judged } from '../testing/judge.ts'
import { imagefs } from './index.ts'

const gi = 2 ** 30

function filesystem(freeGi: number, given: Partial<NodeUsageFact['nodefs']> = {}): NodeUsageFact['nodefs'] {
  return {
    availableBytes: freeGi * gi,
    capacityBytes: 200 * gi,
    usedBytes: (200 - freeGi) * gi,
    inodesFree: 9_000_000,
    inodes: 10_000_000,
    ...given,
  }
}

function usage(freeGi: number, given: Partial<NodeUsageFact> = {}): NodeUsageFact {
  return {
    node: 'node-1',
    at: readAt,
    nodefs: filesystem(freeGi),
    imagefs: filesystem(150),
    memoryAvailableBytes: null,
    processesMax: null,
    processes: null,
    pods: [],
    ...given,
  }
}

const settings: NodeSettingsFact = {
  node: 'node-1',
  maxPods: 110,
  evictionHard: { 'nodefs.available': '10%', 'imagefs.available': '15Gi', 'nodefs.inodesFree': '5%' },
  imageGcHighPercent: 85,
}

function audit(of: NodeUsageFact, node: NodeFact = nodeFact(), sets = [scaleSetFact()]) {
  const nodeSettings = listed([settings])
  return judged(
    imagefs,
    snapshotOf({
      cluster: { nodeUsage: listed([of]), nodeSettings, nodes: listed([node]), scaleSets: listed(sets) },
    }),
  )
}

describe('headroom', () => {
  it('is little where less than a twentieth is left above the threshold of the kubelet', () => {
    const { findings } = audit(usage(29))
    expect(findings).toMatchObject([
      { class: 'headroom', severity: 'warning', subject: { kind: 'node', name: 'node-1' } },
    ])
    expect(findings[0]?.evidence[0]?.text).toBe(
      'nodefs: 29 GiB of 200 GiB left; the kubelet evicts below 20 GiB',
    )
  })

  it('is enough just above that', () => {
    expect(audit(usage(31)).findings).toEqual([])
  })

  it('is gone at the threshold, and by the word of the kubelet', () => {
    expect(audit(usage(19)).findings).toMatchObject([{ class: 'headroom', severity: 'critical' }])
    const condition = {
      type: 'DiskPressure',
      status: 'True',
      reason: 'KubeletHasDiskPressure',
      message: null,
      at: readAt,
    }
    expect(audit(usage(100), nodeFact('node-1', { conditions: [condition] })).findings).toMatchObject([
      { class: 'headroom', severity: 'critical' },
    ])
  })

  it('counts inodes too, and the filesystem of the images by its own threshold', () => {
    const inodes = usage(100, { nodefs: filesystem(100, { inodesFree: 900_000 }) })
    expect(audit(inodes).findings[0]?.evidence[0]?.text).toBe(
      'nodefs: 900000 inodes of 10000000 inodes left; the kubelet evicts below 500000 inodes',
    )
    expect(audit(usage(100, { imagefs: filesystem(24) })).findings[0]?.evidence[0]?.text).toContain(
      'imagefs: 24 GiB',
    )
    expect(audit(usage(100, { imagefs: filesystem(26) })).findings).toEqual([])
  })

  it('says nothing of filesystems that count no inodes', () => {
    expect(audit(usage(100, { nodefs: filesystem(100, { inodesFree: 0, inodes: 0 }) })).findings).toEqual([])
  })

  it('is judged by what is left alone where the settings of the kubelet could not be read', () => {
    const auditOf = (freeGi: number) =>
      judged(
        imagefs,
        snapshotOf({
          cluster: { nodeUsage: listed([usage(freeGi)]), nodeSettings: unread<NodeSettingsFact>('configz') },
        }),
      )
    expect(auditOf(15).findings).toEqual([])
    expect(auditOf(15).unjudged).toMatchObject([
      { class: 'headroom', needs: 'list configz' },
      { class: 'runway' },
    ])
    expect(auditOf(15).tables[0]?.rows[0]?.[4]).toBe('unknown')
    expect(found(auditOf(9))).toEqual(['headroom node-1'])
  })
})

describe('at-risk', () => {
  const limited = (limitGi: number, template: Parameters<typeof templateFact>[0] = {}) =>
    scaleSetFact('dind', {
      template: templateFact({
        containers: [
          containerFact({ limits: { 'ephemeral-storage': (limitGi - 8) * gi } }),
          containerFact({ name: 'dind', limits: { 'ephemeral-storage': 8 * gi } }),
        ],
        ...template,
      }),
    })

  it('holds where the largest lane that may be placed there may write more than is left', () => {
    const { findings } = audit(usage(60), nodeFact(), [scaleSetFact(), limited(48)])
    expect(findings).toMatchObject([
      { class: 'at-risk', summary: 'One runner of dind may write 48 GiB, more than node-1 has left.' },
    ])
    expect(findings[0]?.nextAllowedAction.kind).toBe('read')
  })

  it('does not hold where it fits, nor where the lane may not be placed', () => {
    expect(audit(usage(70), nodeFact(), [limited(48)]).findings).toEqual([])
    expect(audit(usage(60), nodeFact(), [limited(48, { nodeSelector: { pool: 'honey' } })]).findings).toEqual(
      [],
    )
    const tainted = nodeFact('node-1', { taints: [{ key: 'storage', value: null, effect: 'NoSchedule' }] })
    expect(audit(usage(60), tainted, [limited(48)]).findings).toEqual([])
  })

  it('is left open where sets could not be read', () => {
    const cluster = {
      nodeUsage: listed([usage(60)]),
      nodes: listed([nodeFact()]),
      scaleSets: unread<never>('sets'),
    }
    expect(judged(imagefs, snapshotOf({ cluster })).unjudged).toMatchObject([
      { class: 'at-risk', needs: 'list sets' },
    ])
  })
})

describe('runway', () => {
  const pod = { namespace: 'arc-runners', name: 'r1' }
  const grown = (ephemeralGi: number) => [
    { pod, ephemeralBytes: ephemeralGi * gi, memoryWorkingSetBytes: null },
  ]
  const auditBetween = (before: NodeUsageFact | null, now: NodeUsageFact) => {
    const at = (of: NodeUsageFact) =>
      snapshotOf({
        cluster: { nodeUsage: listed([of]), nodeSettings: listed([settings]), nodes: listed([nodeFact()]) },
      })
    return judged(imagefs, at(now), { earlier: before === null ? null : at(before) })
  }

  it('is short where two readings show the disk full within the hour, and names the pods that grew', () => {
    const before = usage(120, { at: readAt - 10 * minuteMs, pods: grown(5) })
    const { findings, tables } = auditBetween(before, usage(100, { pods: grown(25) }))
    expect(findings).toMatchObject([{ class: 'runway', confidence: 'likely' }])
    expect(findings[0]?.evidence.map(({ text }) => text)).toEqual([
      'nodefs bytes: 40 min until the kubelet evicts, with 80 GiB left',
      'pods that grew most: arc-runners/r1 +20 GiB',
    ])
    expect(tables[0]?.rows.map((row) => row.at(-1))).toEqual([
      '40 min',
      'does not fill',
      'does not fill',
      'does not fill',
    ])
  })

  it('is long enough at a slower rate, and endless where nothing fills', () => {
    expect(auditBetween(usage(110, { at: readAt - 10 * minuteMs }), usage(100)).findings).toEqual([])
    expect(auditBetween(usage(90, { at: readAt - 10 * minuteMs }), usage(100)).findings).toEqual([])
  })

  it('is unknown by one reading, and the table says so', () => {
    const { findings, unjudged, tables } = auditBetween(null, usage(100))
    expect({ findings, unjudged }).toEqual({ findings: [], unjudged: [] })
    expect(tables[0]?.rows[0]?.at(-1)).toBe('unknown: one reading')
  })

  it('is left open where the earlier snapshot is not earlier, or lacks the node', () => {
    expect(auditBetween(usage(120, { at: readAt }), usage(100)).unjudged).toMatchObject([{ class: 'runway' }])
    expect(
      auditBetween(usage(120, { at: readAt - minuteMs, node: 'other' }), usage(100)).unjudged,
    ).toHaveLength(1)
  })
})
