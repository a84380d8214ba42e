import { HoldfastError } from '../../../src/domain/errors/index.ts'
import type { Instant } from '../../../src/domain/time.ts'
import type { HostedRunner, RunnerHost, RunnerStart, StartOutcome } from '../../../src/ports/runner-host.ts'
import type { Scheduler } from '../scheduler.ts'
import type { Cluster } from './cluster.ts'
import { isOver, type Pod, type Template } from './model.ts'
import { endingOf, hostedOf } from './seen.ts'
import type { PodView } from './view.ts'

export interface PodHostDeps {
  readonly cluster: Cluster
  readonly view: PodView
  readonly scheduler: Scheduler
  readonly templateOf: (pool: string) => Template | null
  /** Throws where this process may not write any more. */
  readonly mayWrite: () => void
  /** A request takes time, and its sender may die before the answer. `beforeSend` runs when it leaves late. */
  readonly onWire: <T>(call: string, effect: () => T, beforeSend: () => void) => Promise<T>
  /** Whether the answer to this call is lost; half of these took effect. */
  readonly isAnswerLost: () => 'no' | 'after' | 'before'
  /** Called when Holdfast is about to ask a pod to go: it may have changed since that was decided. */
  readonly beforeStop: (runner: string) => void
  /** Called when Holdfast ends a pod whose program may run. */
  readonly onStop: (runner: string) => void
  /** Called with the nodes that a new runner avoids. */
  readonly onAvoid: (nodes: readonly string[]) => void
}

const clusterHostId = 'cluster'
/** A view that is older is stale. */
export const viewAgeMaxMs = 60_000
/** A pod that was not created until then is not created any more. */
const createLandsWithinMs = 90_000
const evidenceDeadlineMs = 60_000
/** From the moment when changed marks are seen until they are put back. */
const restoreMs = 200

/** The RunnerHost port over the simulated cluster, as one process sees it. */
export function createPodHost(deps: PodHostDeps): RunnerHost {
  const { cluster, view, scheduler } = deps
  /** Pods that this process made and its watch does not show yet. */
  const reserved = new Map<string, Pod | { readonly start: RunnerStart; readonly askedAt: Instant }>()
  /** Pods that somebody else tore out while this process watched: they stay listed until their end is sealed. */
  const torn = new Map<string, Pod>()

  const reach = (call: string) => {
    if (cluster.isOut) throw unreachable(call, 'the API server does not answer', false)
  }
  const write = (call: string) => {
    deps.mayWrite()
    reach(call)
  }
  const requireFresh = (call: string) => {
    if (view.ageMs() > viewAgeMaxMs) throw unreachable(call, 'the watch is too old', false)
  }
  const nodeOf = (pod: Pod) => cluster.nodes.get(pod.node ?? '')
  const show = (seen: Pod | { readonly start: RunnerStart }) =>
    'start' in seen ? unsureOf(seen.start) : hostedOf(seen, nodeOf(seen), scheduler.now())
  /** Pods that this process removed, whatever its watch still shows. */
  const released = new Set<string>()
  /** By name the UID of a runner's pod, once it is known: marks decide only until then. */
  const uids = new Map<string, string>()
  const isThere = (pod: Pod | undefined): pod is Pod => {
    if (pod === undefined || released.has(pod.uid)) return false
    return uids.has(pod.name) ? uids.get(pod.name) === pod.uid : pod.marks === 'ours'
  }
  /** Pods that left the view although they are still there: somebody took their marks. */
  const hidden = new Map<string, Pod>()
  /** The hidden pods by the API server; their last known state where it does not answer. */
  const outOfSight = (): ReadonlyMap<string, Pod> => {
    for (const [name, pod] of cluster.isOut ? [] : [...hidden]) {
      const there = cluster.pods.get(name)
      if (there?.uid === pod.uid) hidden.set(name, there)
      else if (hidden.delete(name)) torn.set(name, over(pod))
    }
    return hidden
  }
  const seen = (name: string): Pod | undefined => {
    const pod = [view.pods.get(name), outOfSight().get(name), torn.get(name)].find(isThere)
    if (pod !== undefined && pod.marks !== 'ours') restore(name)
    return pod
  }
  /** The leader puts marks back, a moment later. */
  const restore = (name: string) => {
    scheduler.after(restoreMs, () => {
      const pod = cluster.pods.get(name)
      if (cluster.isOut || pod === undefined || !isThere(pod) || pod.marks === 'ours') return
      try {
        deps.mayWrite()
      } catch {
        return // who leads does it
      }
      cluster.change(name, { marks: 'ours' })
    })
  }
  const last = new Map(view.pods)
  view.onChange((name) => {
    reserved.delete(name)
    const pod = view.pods.get(name)
    const before = last.get(name)
    if (isThere(pod)) {
      uids.set(name, pod.uid)
      hidden.delete(name)
      if (pod.marks !== 'ours') restore(name)
    }
    const went = before !== undefined && before.uid !== pod?.uid && isThere(before) ? before : undefined
    if (pod !== undefined) last.set(name, pod)
    else last.delete(name)
    if (went === undefined) return
    // A watch that selects by marks shows a pod without them as gone: the API server itself is asked.
    const there = cluster.pods.get(name)
    if (there?.uid !== went.uid) return void torn.set(name, over(went))
    hidden.set(name, there)
    restore(name)
  })
  /** Of a silent node only what it said before is known; in the single shape the fence in the ledger proves it. */
  const isIdle = (pod: Pod, onlyIfWaiting: boolean): boolean => {
    const { program } = show(pod)
    return (
      program === 'waiting' || (program === 'unknown' && pod.template.shape === 'single' && !onlyIfWaiting)
    )
  }
  const takeAway = (name: string) => {
    const pod = cluster.pods.get(name)
    if (pod !== undefined) released.add(pod.uid)
    torn.delete(name)
    hidden.delete(name)
    uids.delete(name)
    reserved.delete(name)
    cluster.remove(name, 'holdfast', true)
    cluster.unhold(name, 'holdfast')
  }

  const create = (start: RunnerStart): StartOutcome => {
    reach('create pod')
    const template = deps.templateOf(start.pool)
    if (template === null) {
      const problem = { kind: 'TemplateRefused', message: 'no such pool', since: scheduler.now() } as const
      return { kind: 'refused', problem }
    }
    const lost = deps.isAnswerLost()
    const outcome = lost === 'before' ? null : cluster.create(start, template)
    if (lost !== 'no' || outcome === null) throw unreachable('create pod', 'the answer was lost', true)
    // A refusal counts only where nothing of this name exists.
    return cluster.pods.has(start.name) ? { kind: 'started' } : outcome
  }

  return {
    id: clusterHostId,
    async start(start) {
      deps.mayWrite()
      deps.onAvoid(start.avoidNodes)
      const unsure = { start, askedAt: scheduler.now() }
      if (!view.pods.has(start.name)) reserved.set(start.name, unsure)
      const outcome = await deps
        .onWire('cluster.start', () => create(start), deps.mayWrite)
        .catch((error: unknown) => {
          if (!mayHaveBeenMade(error) && reserved.get(start.name) === unsure) reserved.delete(start.name)
          throw error
        })
      const pod = cluster.pods.get(start.name)
      if (reserved.get(start.name) !== unsure) return outcome
      if (pod === undefined) reserved.delete(start.name)
      else reserved.set(start.name, pod)
      return outcome
    },
    async list() {
      requireFresh('list pods')
      const shown = [...view.pods].filter(([, pod]) => isThere(pod))
      return [...new Map([...torn, ...reserved, ...outOfSight(), ...shown]).values()].map(show)
    },
    uidOf: (name) => uids.get(name) ?? cluster.pods.get(name)?.uid,
    async find(name, _signal, uid) {
      if (uid != null) uids.set(name, uid)
      const shown = view.ageMs() > viewAgeMaxMs ? undefined : seen(name)
      if (shown !== undefined) return show(shown)
      reach('get pod')
      const pod = cluster.pods.get(name)
      const own = isThere(pod) ? pod : undefined
      if (own !== undefined) {
        if (own.marks !== 'ours') restore(name)
        if (own.marks === 'none') hidden.set(name, own)
        return show(own)
      }
      if (uid != null) uids.delete(name)
      if (pod !== undefined && uid === null && !uids.has(name) && !released.has(pod.uid))
        throw new HoldfastError('E_RUNNER_POD_UNCERTAIN', { name, uid: pod.uid })
      const unsure = reserved.get(name)
      if (unsure !== undefined && 'start' in unsure && scheduler.now() - unsure.askedAt < createLandsWithinMs)
        return show(unsure)
      reserved.delete(name)
      return null
    },
    async ending(name) {
      const pod = seen(name)
      if (pod === undefined) requireFresh('list pods')
      return pod === undefined ? null : endingOf(pod, nodeOf(pod), scheduler.now())
    },
    evidenceDeadlineMs: () => evidenceDeadlineMs,
    async stop(name, { reason, evenIfStarted, onlyIfWaiting = false }) {
      write('delete pod')
      deps.beforeStop(name)
      const pod = cluster.pods.get(name)
      if (pod === undefined || show(pod).state === 'exited') return 'asked'
      if (!evenIfStarted && !isIdle(pod, onlyIfWaiting)) return 'refused'
      deps.onStop(name)
      cluster.change(name, { stopReason: pod.stopReason ?? reason })
      cluster.remove(name, 'holdfast', false)
      return 'asked'
    },
    async release(name) {
      write('release pod')
      const pod = cluster.pods.get(name)
      if (pod !== undefined && show(pod).state === 'running')
        throw new HoldfastError('E_RUNNER_NOT_ENDED', { name, why: 'it runs' })
      takeAway(name)
    },
    async abandon(name) {
      write('abandon pod')
      const pod = cluster.pods.get(name)
      const { state, silentSince } = pod === undefined ? { state: 'exited', silentSince: null } : show(pod)
      if (state === 'running' && silentSince === null)
        throw new HoldfastError('E_RUNNER_NOT_ENDED', { name, why: 'its node answers, and it runs' })
      if (cluster.pods.has(name)) deps.onStop(name)
      takeAway(name)
    },
    async protect(name) {
      write('annotate pod')
      cluster.change(name, { isProtected: true })
    },
    template: (pool) => deps.templateOf(pool)?.hash ?? null,
    async headroom() {
      if (cluster.quota === Number.POSITIVE_INFINITY) return { more: null, problem: null }
      const more = Math.max(0, cluster.quota - Math.max(view.pods.size, reserved.size))
      const message = `quota of ${cluster.quota} pods`
      const problem = { kind: 'QuotaExceeded', message, since: scheduler.now() } as const
      return { more, problem: more === 0 ? problem : null }
    },
    async nodes() {
      requireFresh('list nodes')
      return [...cluster.nodes.values()].map(({ name, silentSince, isCordoned, pressures }) => ({
        name,
        isReady: silentSince === null,
        isCordoned,
        pressures,
      }))
    },
    onChange: view.onChange,
  }
}

function mayHaveBeenMade(error: unknown): boolean {
  return !(error instanceof HoldfastError) || error.params.outcomeUnknown === true
}

/** A runner of which nobody knows whether it was made. */
function unsureOf({ name, pool }: RunnerStart): HostedRunner {
  return {
    name,
    pool,
    state: 'running',
    startedAt: null,
    program: 'waiting',
    template: null,
    node: null,
    problem: null,
    leavingSince: null,
    silentSince: null,
    isProtected: false,
    exitedAt: null,
  }
}

/** A pod whose object was force-deleted has ended for us, whatever its program still does. */
function over(pod: Pod): Pod {
  return isOver(pod.status) ? pod : { ...pod, status: { ...pod.status, phase: 'Failed', reason: 'Removed' } }
}

function unreachable(call: string, reason: string, outcomeUnknown: boolean): HoldfastError {
  return new HoldfastError('E_CLUSTER_UNREACHABLE', { call, reason, outcomeUnknown })
}
