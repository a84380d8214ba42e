import { setMaxListeners } from 'node:events'
import type { PodPlan } from '../../../domain/pool/index.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { ClusterWriter } from '../../../ports/cluster.ts'
import type { Log } from '../../../ports/log.ts'
import type { Metrics } from '../../../ports/metrics.ts'
import type { Headroom, RunnerHost } from '../../../ports/runner-host.ts'
import { type Cluster, createListeners } from '../client/index.ts'
import type { PodSite } from '../pods/index.ts'
import { protectPod } from './actions/protect.ts'
import { abandonPod, releasePod } from './actions/release.ts'
import { startPod } from './actions/start.ts'
import { stopPod } from './actions/stop.ts'
import { headroomOf } from './capacity/headroom.ts'
import { createUsageTracker, type ResourceUsage } from './capacity/usage.ts'
import type { HostContext } from './context.ts'
import { captureEnding, evidenceOf } from './forensics/index.ts'

import { createPrototypes } from './prototype.ts'
import { hostNodeOf } from './status/nodes.ts'
import { HostState } from './watch/host-state.ts'
import { findRunner, listRunners } from './watch/list-runners.ts'
import { createObserver } from './watch/observe.ts'
import { keyOfRunner } from './watch/read-runner.ts'
import { createViews, freshValue, isFresh, viewNames } from './watch/views.ts'

export interface PodHostOptions {
  readonly cluster: Pick<Cluster, 'reader' | 'view' | 'logs' | 'events'>
  /** The leader's; throws E_CLUSTER_NOT_LEADER where we do not lead. */
  readonly writer: () => ClusterWriter
  /** The plan for the pods of a pool; undefined where there is no such pool. */
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
    site,
    clock,
    log,
    plan,
    views,
    state: new HostState(),
    writer: options.writer,
    reader: cluster.reader,
    logs: cluster.logs,
    events: cluster.events,
    prototypeOf,
  }
  const tally = createUsageTracker()
  views.pods.onChange(tally.observe)
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
    ending: (name) => captureEnding(context, name, signal),
    evidenceDeadlineMs: (pool) => evidenceOf(context, pool).deadlineMs,
    stop: (name, order) => stopPod(context, name, order, signal),
    release: (name) => releasePod(context, name, signal),
    abandon: (name) => abandonPod(context, name, signal),
    protect: (name, job = null) => protectPod(context, name, job, signal),
    template(pool) {
      const found = plan(pool)
      return found === undefined ? null : prototypeOf(found).template
    },
    headroom: async (pool) => poolHeadroom(context, tally.usage(), plan(pool), nodesMayGrow),
    nodes: async () => freshValue('nodes', views.nodes.list()).map(hostNodeOf),
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
      return isFresh(freshness)
    },
    uidOf(runner) {
      const { uids, pendingCreates, lost } = context.state
      const cached = views.pods.get(keyOfRunner(context, runner)).value
      return (
        uids.get(runner) ?? (cached ?? pendingCreates.get(runner)?.pod ?? lost.get(runner)?.pod)?.metadata.uid
      )
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

function poolHeadroom(
  { views, state, clock, prototypeOf }: HostContext,
  usage: ResourceUsage,
  plan: PodPlan | undefined,
  nodesMayGrow: boolean,
): Headroom {
  if (plan === undefined) return { more: null, problem: null }
  return headroomOf({
    prototype: prototypeOf(plan),
    quotas: freshValue('quotas', views.quotas.list()),
    nodes: freshValue('nodes', views.nodes.list()),
    usage: freshValue('pods', { value: usage, freshness: views.pods.freshness() }),
    pendingCreates: state.pendingCreates.size,
    nodesMayGrow,
    now: clock.now(),
  })
}
