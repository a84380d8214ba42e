import { setMaxListeners } from 'node:events'
import type { PodPlan } from '../../../domain/pool/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterWriter } from '../../../ports/cluster.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Room, RunnerHost } from '../../../ports/runner-host.ts'
import type { Cluster } from '../cluster.ts'
import type { PodSite } from '../pods/index.ts'
import { createListeners } from '../reflector/listeners.ts'
import type { HostContext } from './context.ts'
import { endingOf } from './ending.ts'
import { evidenceOf } from './evidence.ts'
import { findRunner, listRunners } from './list.ts'
import { keyOfRunner } from './look.ts'
import { Memory } from './memory.ts'
import { readNode } from './nodes.ts'
import { createObserver } from './observe.ts'
import { protectPod } from './protect.ts'
import { createPrototypes } from './prototype.ts'
import { abandonPod, releasePod } from './release.ts'
import { readRoom } from './room.ts'
import { startPod } from './start.ts'
import { stopPod } from './stop.ts'
import { createTaken, type Taken } from './taken.ts'
import { believed, createViews, isBelievable, viewNames } from './views.ts'

export interface PodHostOptions {
  readonly cluster: Pick<Cluster, 'reader' | 'view' | 'logs' | 'events'>
  /** The leader's; throws E_CLUSTER_NOT_LEADER where we do not lead. */
  readonly writer: () => ClusterWriter
  /** What runners of a pool are made from; undefined where there is no such pool. */
  readonly plan: (pool: string) => PodPlan | undefined
  readonly site: PodSite
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
  /** Whether an autoscaler adds nodes for pods that wait; then the nodes there are do not bound a pool. */
  readonly nodesMayGrow?: boolean
}

export interface PodHost extends RunnerHost {
  /** Watches the cluster until the signal; without it nothing can be listed. */
  run(signal: AbortSignal): Promise<void>
  /** Resolves when everything was listed once; rejects with the signal's reason. */
  whole(signal: AbortSignal): Promise<void>
  /** Says how old each view is. */
  measure(): void
  /** Whether a view that is up to date shows exactly this pod, and nobody wants it to go. */
  sees(pod: { readonly name: string; readonly uid: string }): boolean
}

/**
 * Runners as pods of one namespace. Views answer every question; the cluster is asked only where a view has no
 * answer, and written to only for what changes. Stopping to watch ends no pod: the next host there sees them all.
 */
export function createPodHost(options: PodHostOptions): PodHost {
  const { cluster, site, clock, log, metrics, plan, nodesMayGrow = false } = options
  const madeAt = clock.now()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // as many acts at once as there are runners
  const views = createViews(cluster, site.namespace)
  const prototypeOf = createPrototypes(site)
  const context: HostContext = {
    ...{ site, clock, log, plan, views, memory: new Memory(), writer: options.writer },
    ...{ reader: cluster.reader, logs: cluster.logs, events: cluster.events, prototypeOf },
  }
  const tally = createTaken()
  views.pods.onChange(tally.note)
  const listeners = createListeners<string>(log)
  const observer = createObserver(context, (name) => listeners.emit([name]), stopping.signal)
  /** For acts that nobody else bounds: each of their requests has its own deadline, and they end with us. */
  const { signal } = stopping

  return {
    id: site.hostId,
    start: (runner, own) => startPod(context, runner, own).finally(() => observer.asked(runner.name)),
    list: async () => listRunners(context),
    async find(name, own, uid) {
      const found = await findRunner(context, name, own, uid)
      observer.found(name)
      return found
    },
    ending: (name) => endingOf(context, name, signal),
    evidenceDeadlineMs: (pool) => evidenceOf(context, pool).deadlineMs,
    stop: (name, order) => stopPod(context, name, order, signal),
    release: (name) => releasePod(context, name, signal),
    abandon: (name) => abandonPod(context, name, signal),
    protect: (name, job = null) => protectPod(context, name, job, signal),
    template(pool) {
      const found = plan(pool)
      return found === undefined ? null : prototypeOf(found).template
    },
    room: async (pool) => roomOf(context, tally.taken(), plan(pool), nodesMayGrow),
    nodes: async () => believed('nodes', views.nodes.list()).map(readNode),
    onChange: listeners.add,
    async whole(own) {
      await Promise.all([views.pods, views.nodes, views.quotas].map((view) => view.whole(own)))
    },
    async run(own) {
      const end = () => stopping.abort(own.reason)
      if (own.aborted) end()
      else own.addEventListener('abort', end, { once: true })
      await Promise.all(viewNames.map((name) => views[name].run(own)))
      observer.stop()
    },
    sees({ name, uid }) {
      const { value, freshness } = views.pods.get(keyOfRunner(context, name))
      if (value?.metadata.uid !== uid || value.metadata.deletionTimestamp !== undefined) return false
      return isBelievable(freshness)
    },
    uidOf(runner) {
      const { uids, reserved, lost } = context.memory
      const seen = views.pods.get(keyOfRunner(context, runner)).value
      return uids.get(runner) ?? (seen ?? reserved.get(runner)?.pod ?? lost.get(runner)?.pod)?.metadata.uid
    },
    measure() {
      for (const kind of viewNames) {
        const { provenAt } = views[kind].freshness()
        const ageMs = clock.now() - (provenAt ?? madeAt)
        metrics?.set('holdfast_cluster_view_age_seconds', { kind }, Math.max(0, ageMs) / 1_000)
      }
    },
  }
}

function roomOf(
  { views, memory, clock, prototypeOf }: HostContext,
  taken: Taken,
  plan: PodPlan | undefined,
  nodesMayGrow: boolean,
): Room {
  if (plan === undefined) return { more: null, trouble: null }
  return readRoom({
    prototype: prototypeOf(plan),
    quotas: believed('quotas', views.quotas.list()),
    nodes: believed('nodes', views.nodes.list()),
    taken: believed('pods', { value: taken, freshness: views.pods.freshness() }),
    unseen: memory.reserved.size,
    ...{ nodesMayGrow, now: clock.now() },
  })
}
