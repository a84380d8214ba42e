import type { HostSamples } from '../domain/death/index.ts'
import type { Clock, Instant } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { KernelFiles, KernelLog, RingPush, SampleFiles } from '../ports/host-agent.ts'
import type { Log } from '../ports/log.ts'
import { type Bases, findBases, findGroups } from './cgroup/find-groups.ts'
import { openGroup } from './cgroup/group.ts'
import { findHierarchies, type Hierarchies } from './cgroup/hierarchies.ts'
import { createOomReader, type OomNews } from './kernel/read-oom.ts'
import { createLive, type Live } from './live.ts'
import { openNode } from './node.ts'
import { createPusher } from './pusher.ts'
import { readMirror } from './ring/mirror.ts'
import type { AgentSettings } from './settings.ts'
import { createWatched, type Watched } from './watched.ts'

/** More than any kubelet runs on one node. */
const podsMax = 1_000
/** Ended pods whose rings are not pushed yet; the oldest are dropped first, and counted. */
const endedMax = 500
/** The time for which an ended pod is remembered after its push, for late lines of the kernel. */
const rememberedMs = 60_000
/** The kubelet's own folders change seldom. */
const basesEveryMs = 10_000
/** The interval of status lines in the log. */
const statusEveryMs = 5 * 60_000
/** A longer pause between samples is reported as a gap. */
const gapMs = 10_000

export interface AgentDeps {
  readonly clock: Clock
  readonly entropy: Pick<Entropy, 'fraction'>
  readonly log: Log
  readonly files: KernelFiles
  readonly kernelLog: KernelLog
  readonly rings: SampleFiles
  readonly push: RingPush
  readonly settings: AgentSettings
}

interface AgentStatus {
  readonly pods: number
  /** Ended rings that have not arrived at the server. */
  readonly waiting: number
  /** Ended rings that were dropped because too many waited. */
  readonly dropped: number
  /** The age of the last sample of the pod that was sampled longest ago. */
  readonly lastSampleAgeMs: number | null
  readonly failingSince: Instant | null
  readonly missing: readonly string[]
}

export interface Agent {
  /** Reads everything once. */
  tick(): void
  status(): AgentStatus
  /** Samples and pushes until the signal. */
  run(signal: AbortSignal): Promise<void>
  close(): void
}

/** The sampler of one node: finds groups, reads them, keeps their rings, and pushes those that changed. */
export function createAgent(deps: AgentDeps): Agent {
  const { clock, log, files, rings, settings } = deps
  const live = new Map<string, Live>()
  const ended = new Map<string, { readonly watched: Watched; settledAt: Instant | null }>()
  const node = openNode(files, settings.proc, settings.images)
  const oom = createOomReader(deps)
  let hierarchies: Hierarchies | null = null
  let bases: Bases | null = null
  let basesAt = Number.NEGATIVE_INFINITY
  let dropped = 0
  let isFull = false
  const pusher = createPusher({
    ...deps,
    ringOf: (podUid) => {
      const one = live.get(podUid) ?? ended.get(podUid)?.watched
      return one?.ring(clock.now(), settings.node, missing()) ?? null
    },
    onSettled: settled,
  })
  restore()

  function missing(): readonly string[] {
    const version =
      hierarchies?.pressure === null ? ['pressure of a group: version 1 of cgroups has none'] : []
    const counts = isForgetful()
      ? ['whether nothing was killed for memory: version 1 forgets its counts']
      : []
    const kata = bases?.hasKataOverhead
      ? ["memory of Kata's hypervisors: it is counted in kata_overhead, outside of their pods"]
      : []
    const all = [...node.missing, ...version, ...counts, ...kata, deps.kernelLog.missing, rings.missing]
    return all.filter((what) => what !== null)
  }

  /** Version 1 loses a container's count with its group: without the kernel's log a count of 0 says nothing. */
  function isForgetful(): boolean {
    return hierarchies?.version === 1 && deps.kernelLog.missing !== null
  }

  function liveOf(watched: Watched): Live {
    return createLive(watched, clock.now(), deps.entropy.fraction())
  }

  /** Restores the rings of an earlier agent on this node. */
  function restore(): void {
    for (const { podUid, text } of rings.load()) {
      const before = readMirror(text)
      const watched = createWatched(rings, podUid, before)
      if (before.endedAt === null) live.set(podUid, liveOf(watched))
      else keepEnded(watched)
    }
  }

  function tick(): void {
    const now = clock.now()
    const news = oom.read(now)
    const found = look(now)
    if (found === null) return
    for (const one of news) addOomNews(one)
    for (const [podUid, one] of live) if (!found.has(podUid)) end(podUid, one, now)
    const ofNode = node.read()
    for (const [podUid, path] of found) {
      const one = follow(podUid, path, now)
      if (one?.group == null) continue
      const containers = one.group.containers()
      const reading = one.group.read()
      const oomKills = reading.oomKills === 0 && isForgetful() ? null : reading.oomKills
      one.watched.add({ at: now, ...reading, ...ofNode, oomKills })
      if (one.notice({ containers, oomKills: oomKills ?? 0 }, now)) pusher.want(podUid)
    }
    forgetOld(now)
  }

  /** The present groups; null where they cannot be listed: then no end is concluded. */
  function look(now: Instant): ReadonlyMap<string, string> | null {
    hierarchies ??= findHierarchies(files, settings.cgroups)
    if (hierarchies === null) return null
    if (bases === null || now - basesAt >= basesEveryMs || now < basesAt) {
      bases = findBases(files, hierarchies, settings.below)
      basesAt = now
    }
    return bases === null ? null : findGroups(files, hierarchies, bases)
  }

  function follow(podUid: string, path: string, now: Instant): Live | null {
    const known = live.get(podUid)
    if (known !== undefined && known.group?.path === path) return known
    if (known === undefined && live.size >= podsMax) {
      if (!isFull) log.warn({ podsMax }, 'more pods than the agent watches: the newest are left out')
      isFull = true
      return null
    }
    known?.group?.close()
    const one = known ?? liveOf(createWatched(rings, podUid, null))
    const { lastAt } = one.watched
    if (one.group === null && lastAt !== null && now - lastAt > gapMs) {
      one.watched.miss(`samples from ${iso(lastAt)} to ${iso(now)}: the agent did not run`)
    }
    one.group = openGroup(files, hierarchies as Hierarchies, path, settings.sampleMs)
    live.set(podUid, one)
    return one
  }

  /** Adds a line to its pod's ring. An unknown pod gets a ring too, unless the line is old: it lived less than a second. */
  function addOomNews({ owner, at, line, isOld }: OomNews): void {
    const past = ended.get(owner)
    const one = live.get(owner)
    if (one === undefined && past === undefined && (isOld || live.size >= podsMax)) return
    const watched = one?.watched ?? past?.watched ?? createWatched(rings, owner, null)
    if (!watched.addOomLine(at, line)) return
    if (past !== undefined) {
      past.settledAt = null
      pusher.want(owner)
      return
    }
    const pod = one ?? liveOf(watched)
    pod.markChanged(at)
    live.set(owner, pod)
  }

  function end(podUid: string, one: Live, now: Instant): void {
    const { watched, group } = one
    const { lastAt } = watched
    if (group === null && lastAt !== null && now - lastAt > gapMs) {
      watched.miss(`samples from ${iso(lastAt)} until its end: the agent did not run`)
    }
    group?.close()
    live.delete(podUid)
    isFull = false
    watched.end(now)
    keepEnded(watched)
  }

  function keepEnded(watched: Watched): void {
    ended.set(watched.podUid, { watched, settledAt: null })
    pusher.want(watched.podUid)
    const waiting = [...ended.values()].filter(({ settledAt }) => settledAt === null)
    if (waiting.length <= endedMax) return
    const [oldest] = waiting
    if (oldest === undefined) return
    dropped += 1
    drop(oldest.watched.podUid)
    log.error({ podUid: oldest.watched.podUid, dropped }, 'too many rings wait: dropped the oldest')
  }

  function settled(podUid: string, ring: HostSamples, isWanted: boolean): void {
    live.get(podUid)?.settled(ring, isWanted)
    const past = ended.get(podUid)
    if (past === undefined || ring.endedAt === null) return
    past.settledAt = clock.now()
    rings.remove(podUid)
  }

  function forgetOld(now: Instant): void {
    for (const [podUid, { settledAt }] of ended) {
      if (settledAt !== null && now - settledAt >= rememberedMs) drop(podUid)
    }
  }

  function drop(podUid: string): void {
    ended.delete(podUid)
    pusher.forget(podUid)
    rings.remove(podUid)
  }

  function status(): AgentStatus {
    const ats = [...live.values()].map(({ watched }) => watched.lastAt).filter((at) => at !== null)
    return {
      pods: live.size,
      waiting: [...ended.values()].filter(({ settledAt }) => settledAt === null).length,
      dropped,
      lastSampleAgeMs: ats.length === 0 ? null : clock.now() - Math.min(...ats),
      failingSince: pusher.failingSince,
      missing: missing(),
    }
  }

  return {
    tick,
    status,
    async run(signal) {
      const pushing = pusher.run(signal)
      let loggedAt = Number.NEGATIVE_INFINITY
      while (!signal.aborted) {
        const startedAt = clock.now()
        tick()
        if (startedAt - loggedAt >= statusEveryMs) {
          log.info({ ...status() }, 'watching')
          loggedAt = startedAt
        }
        const restMs = Math.max(0, settings.sampleMs - Math.max(0, clock.now() - startedAt))
        await clock.sleep(restMs, signal).catch(() => undefined)
      }
      await pushing
    },
    close() {
      for (const { group } of live.values()) group?.close()
      deps.kernelLog.close()
    },
  }
}

function iso(at: Instant): string {
  return new Date(at).toISOString()
}
