import { describe, expect, it } from 'vitest'
import { findLeftovers } from '../../../adapters/kubernetes/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { ClusterObject, ClusterWriter, ObjectKind } from '../../../ports/cluster.ts'
import { applyUninstall } from './apply.ts'
import type { UninstallDeps } from './deps.ts'

const signal = new AbortController().signal
const order = { isApproved: true, evenBusy: false, withoutLedger: true, waitMs: 1 }
const managed = { 'app.kubernetes.io/managed-by': 'holdfast' }

/** A namespace with a pool, the policy and the lease, of which lists of some kinds are refused. */
function namespaceOf(mayList: (kind: ObjectKind) => boolean) {
  const object = (name: string, over: Partial<ClusterObject['metadata']> = {}): ClusterObject => ({
    metadata: { name, namespace: 'ci', uid: `uid-${name}`, resourceVersion: '1', ...over },
  })
  const there = new Map<string, readonly ClusterObject[]>([
    ['RunnerPool', [object('linux', { finalizers: ['holdfast.dev/pool'] })]],
    ['NetworkPolicy', [object('holdfast-runners', { labels: managed })]],
    ['Lease', [object('holdfast')]],
  ])
  const written: string[] = []
  const writer: Pick<ClusterWriter, 'remove' | 'patch'> = {
    async remove(kind, { name }) {
      written.push(`remove ${kind.kind} ${name}`)
      if (kind.kind !== 'RunnerPool') there.delete(kind.kind)
      return 'removed'
    },
    async patch(kind, { name }) {
      written.push(`patch ${kind.kind} ${name}`)
      there.delete(kind.kind)
      return { kind: 'changed', object: object(name) }
    },
  }
  const list = async ({ kind }: { kind: ObjectKind }) => {
    if (!mayList(kind))
      throw new HoldfastError('E_CLUSTER_REFUSED', {
        call: `list ${kind.plural}`,
        code: 403,
        reason: 'forbidden',
      })
    return there.get(kind.kind) ?? []
  }
  const cluster = { writer, list } as unknown as UninstallDeps['cluster']
  const clock = { now: () => 0 }
  const base = { clock } as UninstallDeps['base']
  const look = () => findLeftovers(cluster, { namespace: 'ci', lease: 'holdfast' }, signal)
  return { written, deps: { base, cluster, namespace: 'ci', look, order } satisfies UninstallDeps }
}

describe('an uninstallation', () => {
  it('takes away what held the pods once a list says that there are none', async () => {
    const { deps, written } = namespaceOf(() => true)
    const steps = await applyUninstall(deps, signal)
    expect(written).toContain('patch RunnerPool linux')
    expect(written).toContain('remove NetworkPolicy holdfast-runners')
    expect(steps.every(({ outcome }) => outcome === 'gone')).toBe(true)
  })

  it('does not take pods that may not be listed for gone: their pool, policy and lease stay, and it says why', async () => {
    const { deps, written } = namespaceOf(({ kind }) => kind !== 'Pod')
    const steps = await applyUninstall(deps, signal)
    expect(written).toEqual(['remove RunnerPool linux'])
    expect(steps).toMatchObject([
      { what: 'RunnerPool linux', outcome: 'left', why: expect.stringContaining('pods') },
      { what: 'NetworkPolicy holdfast-runners', outcome: 'left', why: expect.stringContaining('pods') },
      { what: 'Lease holdfast', outcome: 'left', why: expect.stringContaining('pods') },
    ])
  })

  it('does not say of what may not be looked at any more that it is gone', async () => {
    let looks = 0
    const { deps } = namespaceOf(({ kind }) => {
      if (kind === 'Lease') looks += 1
      return looks < 3
    })
    const steps = await applyUninstall(deps, signal)
    expect(steps.find(({ what }) => what === 'Lease holdfast')).toMatchObject({ outcome: 'left' })
  })
})
