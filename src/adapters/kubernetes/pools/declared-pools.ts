import { HoldfastError } from '../../../domain/errors/index.ts'
import type { PodPlan } from '../../../domain/pool/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterWriter, Exactly } from '../../../ports/cluster.ts'
import type { DeclaredPool, DeclaredPools, FleetEvent } from '../../../ports/declared-pools.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import { type Cluster, isNoNewer } from '../client/index.ts'
import { type JudgingSite, problemsOf } from '../pods/index.ts'
import { createEvents } from './events.ts'
import { keepRunnerPool, poolFinalizer, type RunnerPoolObject, runnerPools } from './object.ts'
import { isWritten, type WrittenStatus, writtenStatus } from './status.ts'

export interface DeclaredPoolsOptions {
  readonly cluster: Pick<Cluster, 'view'>
  readonly namespace: string
  /** For the term that runs now; throws where none does. */
  readonly writer: () => ClusterWriter
  /** Reads the `spec` of a pool of this name. */
  readonly parse: (name: string, spec: unknown) => DeclaredPool['declared']
  /** By what templates are judged; unset: nothing beyond the baseline is allowed. */
  readonly judging?: Partial<JudgingSite>
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
  /** The UID of a runner's pod, where it is known. */
  readonly podUid?: (runner: string) => string | undefined
  /** Whether nothing can be made there any more: then every pool is leaving, before anybody deletes it. */
  readonly isClosing?: () => boolean
}

export interface ClusterPools extends DeclaredPools {
  /** The plan for the pods of a pool; undefined where there is no such pool or it cannot be used as it is. */
  plan(pool: string): PodPlan | undefined
  /** Resolves when the pools were read for the first time. */
  whole(signal: AbortSignal): Promise<void>
  /** Sets the gauges of the freshness of the views. */
  measure(): void
  /** Watches the cluster, and writes Events to it, until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>
}

/** Our last write to an object, so that nothing is written again before the view shows it. */
interface Written {
  readonly resourceVersion: string
  readonly status: WrittenStatus
}

/** RunnerPools of one namespace. */
export function createDeclaredPools(options: DeclaredPoolsOptions): ClusterPools {
  const { cluster, namespace, writer, clock, log, metrics, isClosing = () => false } = options
  const view = cluster.view({ kind: runnerPools, namespace, transform: keepRunnerPool })
  const read = createReading(options)
  const madeAt = clock.now()
  const writtenOf = new Map<string, Written>()
  const objectOf = (name: string) => view.get(`${namespace}/${name}`).value
  const uidOf = ({ kind, name }: FleetEvent['about']) =>
    kind === 'pool' ? objectOf(name)?.metadata.uid : options.podUid?.(name)
  const events = createEvents({ namespace, writer, uidOf, clock, log })

  /** As it is now, where it is still the same declaration. */
  function current({ name, uid }: DeclaredPool): RunnerPoolObject | undefined {
    const object = objectOf(name)
    return object?.metadata.uid === uid ? object : undefined
  }

  async function report(...[pool, status, signal]: Parameters<DeclaredPools['report']>): Promise<void> {
    const object = current(pool)
    if (object === undefined) return
    if (pool.declared.kind === 'pool') await hold(object, signal)
    const last = writtenOf.get(pool.uid)
    const wanted = writtenStatus(status, last?.status, object.status, clock.now())
    const isAhead = last !== undefined && isNoNewer(object.metadata.resourceVersion, last.resourceVersion)
    if (isWritten(wanted, isAhead ? { ...last.status } : object.status)) return
    const manifest = { metadata: { name: pool.name, namespace }, status: wanted }
    const force = { subresource: 'status', force: true } as const
    const changed = await writer().apply(runnerPools, manifest, signal, force)
    if (changed.kind !== 'changed') return
    const { resourceVersion } = changed.object.metadata
    writtenOf.set(pool.uid, { resourceVersion, status: wanted })
  }

  /** From now on it stays until it is released. A conflict is seen in the view, and tried again with the next report. */
  async function hold({ metadata }: RunnerPoolObject, signal: AbortSignal): Promise<void> {
    const { finalizers = [], deletionTimestamp } = metadata
    if (deletionTimestamp !== undefined || isClosing() || finalizers.includes(poolFinalizer)) return
    const patch = { metadata: { finalizers: [...finalizers, poolFinalizer] } }
    await writer().patch(runnerPools, exactly(metadata), patch, signal)
  }

  async function release(pool: DeclaredPool, signal: AbortSignal): Promise<void> {
    const object = current(pool)
    const { finalizers = [], deletionTimestamp } = object?.metadata ?? {}
    if (object === undefined || !finalizers.includes(poolFinalizer)) return
    if (deletionTimestamp === undefined && !isClosing()) return
    const patch = { metadata: { finalizers: finalizers.filter((each) => each !== poolFinalizer) } }
    await writer().patch(runnerPools, exactly(object.metadata), patch, signal)
  }

  function exactly({ name, uid, resourceVersion }: RunnerPoolObject['metadata']): Exactly {
    return { name, namespace, uid, resourceVersion }
  }

  return {
    async list() {
      const { value, freshness } = view.list()
      if (!freshness.isWhole) {
        const state = 'it is not whole yet'
        throw new HoldfastError('E_CLUSTER_VIEW_OLD', {
          view: 'pools',
          state,
          problem: freshness.problem ?? '',
        })
      }
      const uids = new Set(value.map(({ metadata }) => metadata.uid))
      for (const uid of writtenOf.keys()) if (!uids.has(uid)) writtenOf.delete(uid)
      read.keepOnly(uids)
      const isEnd = isClosing()
      return value.map(read.declared).map((pool) => (isEnd ? { ...pool, isLeaving: true } : pool))
    },
    report,
    release,
    recordEvent: events.recordEvent,
    onChange: (callback) =>
      view.onChange(({ object: { metadata } }) => {
        // Our own write is no news.
        if (writtenOf.get(metadata.uid)?.resourceVersion !== metadata.resourceVersion) callback()
      }),
    plan(name) {
      const object = objectOf(name)
      const declared = object && read.declared(object).declared
      return declared?.kind === 'pool' ? declared.pod : undefined
    },
    whole: view.whole,
    measure() {
      const ageMs = clock.now() - (view.freshness().provenAt ?? madeAt)
      metrics?.set('holdfast_cluster_view_age_seconds', { kind: 'pools' }, Math.max(0, ageMs) / 1_000)
    },
    async run(signal) {
      await Promise.all([view.run(signal), events.run(signal)])
    },
  }
}

/** Reads each state of a declaration once: its status changes far more often than what it declares. */
function createReading({ parse, judging }: Pick<DeclaredPoolsOptions, 'parse' | 'judging'>) {
  const known = new Map<
    string,
    { readonly generation: number; readonly declared: DeclaredPool['declared'] }
  >()
  return {
    declared({ metadata, spec }: RunnerPoolObject): DeclaredPool {
      const { name, uid, generation = 0, deletionTimestamp } = metadata
      const before = known.get(uid)
      const declared =
        before?.generation === generation ? before.declared : usable(parse(name, spec), judging)
      known.set(uid, { generation, declared })
      return { name, uid, generation, isLeaving: deletionTimestamp !== undefined, declared }
    },
    keepOnly(uids: ReadonlySet<string>): void {
      for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid)
    },
  }
}

/** Whether pods can be made of it as well. */
function usable(
  declared: DeclaredPool['declared'],
  judging: Partial<JudgingSite> | undefined,
): DeclaredPool['declared'] {
  if (declared.kind === 'wrong') return declared
  const problems = problemsOf(declared.pod, judging)
  return problems.length === 0
    ? declared
    : { kind: 'wrong', problems: problems.map((text) => `spec.${text}`) }
}
