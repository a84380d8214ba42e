import { HoldfastError } from '../../../src/domain/errors/index.ts'
import type { PodPlan, Pool } from '../../../src/domain/pool/index.ts'
import type { DeclaredPool, DeclaredPools } from '../../../src/ports/declared-pools.ts'
import type { History } from '../history.ts'
import type { Random } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'
import type { Template } from './model.ts'

/** RunnerPool objects as people write them. */
export interface Declarations {
  /** The present template of this pool's pods; null where no such pool is declared. */
  templateOf(pool: string): Template | null
  /** Whether it is declared, and not on its way out. */
  isStanding(pool: string): boolean
  /** Declares a pool, or changes what is declared of it. Nothing while an earlier one of its name still leaves. */
  declare(pool: Pool, template: Template): void
  /** Makes what is declared useless, as it is written. */
  spoil(name: string): void
  remove(name: string): void
  /** The port, as a process sees it. */
  seenBy(mayWrite: () => void): DeclaredPools
}

interface Declared {
  readonly shown: DeclaredPool
  readonly template: Template
}

export function createDeclarations(
  cluster: Cluster,
  scheduler: Scheduler,
  random: Random,
  history: History,
  onReleased: (pool: string) => void,
): Declarations {
  const all = new Map<string, Declared>()
  const listeners = new Set<() => void>()
  const put = (declared: Declared | null, name: string, what: string) => {
    history.note('person', `${what} pool ${name}`)
    if (declared === null) all.delete(name)
    else all.set(name, declared)
    for (const listener of listeners) scheduler.after(random.between(1, 200), listener)
  }
  const changed = (name: string, what: string, to: (shown: DeclaredPool) => Partial<DeclaredPool>) => {
    const before = all.get(name)
    if (before === undefined || before.shown.isLeaving) return
    const { shown } = before
    put({ ...before, shown: { ...shown, ...to(shown), generation: shown.generation + 1 } }, name, what)
  }
  const reach = (call: string) => {
    if (cluster.isOut)
      throw new HoldfastError('E_CLUSTER_UNREACHABLE', { call, reason: 'simulated', outcomeUnknown: false })
  }

  return {
    templateOf: (name) => all.get(name)?.template ?? null,
    isStanding: (name) => all.get(name)?.shown.isLeaving === false,
    declare(pool, template) {
      const { name } = pool
      const before = all.get(name)
      if (before?.shown.isLeaving) return
      const declared = { kind: 'pool', pool, pod: planOf(template) } as const
      const uid = before?.shown.uid ?? `pool-${random.bytes(4).join('-')}`
      const generation = (before?.shown.generation ?? 0) + 1
      const what = `declares (${template.hash} ${template.flaw}, ${pool.minWarm} to ${pool.maxRunners})`
      put({ shown: { name, uid, generation, isLeaving: false, declared }, template }, name, what)
    },
    spoil: (name) =>
      changed(name, 'spoils', () => ({ declared: { kind: 'wrong', problems: ['simulated'] } })),
    remove: (name) => changed(name, 'deletes', () => ({ isLeaving: true })),
    seenBy: (mayWrite) => ({
      async list() {
        reach('list pools')
        return [...all.values()].map(({ shown }) => shown)
      },
      async report() {
        mayWrite()
        reach('write status')
      },
      async release({ name, uid }) {
        mayWrite()
        reach('release pool')
        const there = all.get(name)
        if (there?.shown.uid !== uid || !there.shown.isLeaving) return
        onReleased(name)
        put(null, name, 'is rid of')
      },
      recordEvent: () => undefined,
      onChange(callback) {
        listeners.add(callback)
        return () => listeners.delete(callback)
      },
    }),
  }
}

function planOf({ shape, hash }: Template): PodPlan {
  return {
    shape,
    image: `simulated:${hash}`,
    command: null,
    runtimeClass: null,
    dind: null,
    template: {},
    resources: { requests: {}, limits: {} },
    stopGraceMs: 5_000,
    evidence: { tailLines: 10, tailBytes: 1_000, deadlineMs: 60_000 },
  }
}
