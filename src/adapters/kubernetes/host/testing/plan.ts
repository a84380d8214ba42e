import type { PodPlan } from '../../../../domain/pool/index.ts'
import type { PodSite } from '../../pods/index.ts'

/** For tests: a plan of which pods can be made. */
export function aPlan(over: Partial<PodPlan> = {}): PodPlan {
  return {
    shape: 'isolated',
    image: 'runner:1',
    command: ['./run.sh'],
    runtimeClass: null,
    dind: null,
    resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '2Gi' } },
    template: {},
    stopGraceMs: 30_000,
    evidence: { tailLines: 100, tailBytes: 1_000, deadlineMs: 5_000 },
    ...over,
  }
}

export const aSite: PodSite = {
  namespace: 'ci',
  hostId: 'here',
  serverUrl: 'http://holdfast:8480',
  pollerImage: 'poller:1',
  serviceAccount: 'default',
  audience: 'holdfast',
  tokenSeconds: 3_600,
  pollMs: 1_000,
  allow: ['privileged'],
}
