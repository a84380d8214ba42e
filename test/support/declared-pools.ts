import type { DeclaredPool, DeclaredPools, FleetEvent, PoolStatus } from '../../src/ports/declared-pools.ts'
import { aPool } from './rows.ts'

/** Pools that the test declares, and that record statuses and events. */
export interface ScriptedPools extends DeclaredPools {
  readonly declared: DeclaredPool[]
  /** The newest of each pool, and how often it was reported. */
  readonly statuses: Map<string, PoolStatus>
  readonly reports: string[]
  readonly released: string[]
  readonly events: FleetEvent[]
}

export function declaredPools(...declared: DeclaredPool[]): ScriptedPools {
  const pools: ScriptedPools = {
    declared,
    statuses: new Map(),
    reports: [],
    released: [],
    events: [],
    list: async () => [...pools.declared],
    async report({ name }, status) {
      pools.statuses.set(name, status)
      pools.reports.push(name)
    },
    async release({ name }) {
      pools.released.push(name)
      const at = pools.declared.findIndex((pool) => pool.name === name)
      if (at >= 0) pools.declared.splice(at, 1)
    },
    recordEvent: (event) => pools.events.push(event),
    onChange: () => () => undefined,
  }
  return pools
}

export function aDeclaredPool(over: Partial<DeclaredPool> = {}): DeclaredPool {
  const pool = aPool({ name: over.name ?? 'linux' })
  return {
    name: pool.name,
    uid: `uid-of-${pool.name}`,
    generation: 1,
    isLeaving: false,
    declared: { kind: 'pool', pool, pod },
    ...over,
  }
}

const pod = {
  shape: 'isolated',
  image: 'runner:1',
  command: null,
  resources: { requests: {}, limits: {} },
  runtimeClass: null,
  dind: null,
  template: {},
  stopGraceMs: 30_000,
  evidence: { tailLines: 100, tailBytes: 10_000, deadlineMs: 60_000 },
} as const
