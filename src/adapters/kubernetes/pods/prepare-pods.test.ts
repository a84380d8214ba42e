import { describe, expect, it } from 'vitest'
import { avoidedNodesMax, runnerNetworkPolicy, templateOf } from './index.ts'
import type { PodManifest } from './pod.ts'
import { buildPod } from './testing/build-pod.ts'
import { anOrder, aPlan, site, withSpec } from './testing/plans.ts'

const not = (name: string) => ({ key: 'metadata.name', operator: 'NotIn', values: [name] })
const termsOf = ({ spec }: PodManifest) =>
  spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
const required = (nodeSelectorTerms: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
})

describe('nodes to avoid', () => {
  it('are avoided by name', () => {
    expect(termsOf(buildPod(anOrder({ avoidNodes: ['b', 'a', 'b'] })))).toEqual([
      { matchFields: [not('a'), not('b')] },
    ])
  })

  it('say nothing where there are none', () => {
    expect(buildPod(anOrder()).spec.affinity).toBeUndefined()
  })

  it('are avoided in each alternative of the template, and its other affinities are kept', () => {
    const zone = { matchExpressions: [{ key: 'zone', operator: 'Exists' }] }
    const other = { matchFields: [not('x')] }
    const affinity = { ...required([zone, other]), podAntiAffinity: { preferred: [] } }
    const pod = buildPod({ ...withSpec({ affinity }), avoidNodes: ['a'] })
    expect(termsOf(pod)).toEqual([
      { ...zone, matchFields: [not('a')] },
      { matchFields: [not('x'), not('a')] },
    ])
    expect(pod.spec.affinity).toMatchObject({ podAntiAffinity: { preferred: [] } })
  })

  it('do not make a term match that matches nothing', () => {
    const pod = buildPod({ ...withSpec({ affinity: required([{}]) }), avoidNodes: ['a'] })
    expect(termsOf(pod)).toEqual([{}])
  })

  it('are bounded', () => {
    const avoidNodes = Array.from({ length: 5_000 }, (_, index) => `n${index}`)
    expect(termsOf(buildPod(anOrder({ avoidNodes })))?.[0]?.matchFields).toHaveLength(avoidedNodesMax)
  })
})

describe('nodes that are not wanted', () => {
  const preferredOf = ({ spec }: PodManifest) =>
    spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution

  it('are taken last, and not forbidden', () => {
    const pod = buildPod(anOrder({ unwantedNodes: ['b', 'a'] }))
    expect(preferredOf(pod)).toEqual([{ weight: 100, preference: { matchFields: [not('a'), not('b')] } }])
    expect(termsOf(pod)).toBeUndefined()
  })

  it('are added to what the template prefers, and to nodes that are avoided', () => {
    const own = { weight: 7, preference: { matchExpressions: [{ key: 'zone', operator: 'Exists' }] } }
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [own] } }
    const pod = buildPod({ ...withSpec({ affinity }), avoidNodes: ['a'], unwantedNodes: ['b'] })
    expect(preferredOf(pod)).toEqual([own, { weight: 100, preference: { matchFields: [not('b')] } }])
    expect(termsOf(pod)).toEqual([{ matchFields: [not('a')] }])
  })
})

describe('the template of a pod', () => {
  const base = templateOf(aPlan(), site)

  it('is on the pod, and the same for each runner and each place', () => {
    expect(base).toMatch(/^[0-9a-f]{12}$/)
    for (const over of [{}, { runner: 'linux-ffffffff' }, { avoidNodes: ['a'] }]) {
      expect(buildPod(anOrder(over)).metadata.labels['holdfast.dev/template']).toBe(base)
    }
  })

  it('does not change with settings that are not part of the pod', () => {
    const evidence = { tailLines: 1, tailBytes: 1, deadlineMs: 1 }
    expect(templateOf(aPlan({ evidence }), site)).toBe(base)
    expect(templateOf(aPlan({ template: { spec: { tolerations: null } } }), site)).toBe(base)
  })

  it.each([
    { image: 'another' },
    { command: null },
    { shape: 'single' as const },
    { stopGraceMs: 1 },
    { runtimeClass: 'kata' },
    { template: { metadata: { labels: { a: 'b' } } } },
    { template: { spec: { tolerations: [] } } },
  ])('changes with the plan: %j', (over) => {
    expect(templateOf(aPlan(over), site)).not.toBe(base)
  })

  it.each([{ pollerImage: 'x' }, { serverUrl: 'http://x' }, { tokenSeconds: 700 }, { pollMs: 1 }])(
    'changes with the site: %j',
    (over) => expect(templateOf(aPlan(), { ...site, ...over })).not.toBe(base),
  )

  it('is there for a plan that has problems', () => {
    expect(templateOf(aPlan({ template: { spec: { containers: 7 } } }), site)).toMatch(/^[0-9a-f]{12}$/)
  })
})

describe('the network policy', () => {
  const { spec } = runnerNetworkPolicy('runners') as unknown as {
    spec: { ingress: unknown[]; egress: { to: { ipBlock?: { cidr: string; except?: string[] } }[] }[] }
  }

  it('denies all ingress, and egress to link-local addresses', () => {
    expect(spec.ingress).toEqual([])
    const blocks = spec.egress[0]?.to.flatMap(({ ipBlock }) => ipBlock ?? [])
    expect(blocks?.find(({ cidr }) => cidr === '0.0.0.0/0')?.except).toContain('169.254.0.0/16')
    expect(blocks?.find(({ cidr }) => cidr === '::/0')?.except).toContain('fe80::/10')
  })
})
