import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { PodOrder, PodSite } from '../pod.ts'

export const site: PodSite = {
  namespace: 'runners',
  serverUrl: 'http://holdfast.example:8080',
  pollerImage: 'holdfast.test/poller:1',
  allow: ['privileged', 'secrets'],
  serviceAccount: 'default',
  audience: 'holdfast',
  tokenSeconds: 3600,
  pollMs: 30_000,
  hostId: 'kubernetes:0a1b/runners',
}

/** A plan as a pool without a template has it. */
export function aPlan(over: Partial<PodPlan> = {}): PodPlan {
  return {
    shape: 'isolated',
    image: 'holdfast.test/runner:1',
    command: ['/home/runner/run.sh'],
    resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
    runtimeClass: null,
    dind: null,
    template: {},
    stopGraceMs: 90_500,
    evidence: { tailLines: 100, tailBytes: 10_000, deadlineMs: 60_000 },
    ...over,
  }
}

export function anOrder(over: Partial<PodOrder> = {}): PodOrder {
  return { runner: 'linux-0a1b2c3d', pool: 'linux', plan: aPlan(), site, avoidNodes: [], ...over }
}

/** The order of a pod with this in its template's spec. */
export function withSpec(spec: object, plan: Partial<PodPlan> = {}): PodOrder {
  return anOrder({ plan: aPlan({ ...plan, template: { spec } }) })
}
