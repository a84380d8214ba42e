import type { Change } from '../../../../ports/cluster.ts'
import { lacksMarks, restoreMarks } from '../actions/restore-marks.ts'
import type { HostContext } from '../context.ts'
import { earlierEndsOf } from '../forensics/container-end.ts'
import { isOursByMarks, isProtectedPod } from '../objects/marks.ts'
import type { NodeObject, RunnerPod } from '../objects/objects.ts'
import { isSameToRunners } from '../status/nodes.ts'
import { nodeSilentAt } from '../status/start-problem.ts'
import { createFixedDelayQueue } from './fixed-delay-queue.ts'
import { findRunner, proveLost } from './list-runners.ts'
import { hosted, inCache, isOurs, readingOf } from './read-runner.ts'

/** A watch shows what was made within a second; a minute and a half later the cluster itself knows. */
const unseenAfterMs = 100_000

export interface Observer {
  /** A start of this runner was asked for. */
  asked(name: string): void
  /** This runner was found, perhaps where no watch shows it. */
  found(name: string): void
  stop(): void
}

/** Turns changes of the views into the host's state, and notifies of each runner that changed. */
export function createObserver(
  context: HostContext,
  notify: (name: string) => void,
  signal: AbortSignal,
): Observer {
  const { views, state, clock, log } = context
  const unheeded = createFixedDelayQueue(clock, (name) => {
    noteStartProblem(name)
    notify(name)
  })
  const unseen = createFixedDelayQueue(clock, (name) => {
    if (state.pendingCreates.has(name)) ask(name, () => findRunner(context, name, signal))
  })

  views.pods.onChange((change) => {
    const { name } = change.object.metadata
    const last = change.kind === 'changed' ? change.before : change.object
    if (!isOurs(context, last) && !isOurs(context, change.object)) return
    state.pendingCreates.delete(name)
    if (change.kind === 'removed') removed(name, change)
    else onSeen(name, change.object)
    notify(name)
  })
  views.nodes.onChange((change) => {
    if (change.kind === 'changed' && isSameToRunners(change.before, change.object)) return
    nodeChanged(change)
  })
  views.warnings.onChange(({ object }) => {
    if (noteStartProblem(object.podName)) notify(object.podName)
  })

  function onSeen(name: string, pod: RunnerPod): void {
    state.lost.delete(name)
    know(pod)
    if (lacksMarks(context, pod)) restore(name, pod)
    const { uid } = pod.metadata
    const { runner, isUntouched } = readingOf(context, pod)
    const at = isUntouched ? nodeSilentAt(pod) : null
    if (at === null) unheeded.remove(name)
    else unheeded.add(name, at)
    if (runner.problem !== null) state.note(uid, { startProblem: runner.problem })
    const ends = earlierEndsOf(pod)
    if (ends.length === 0) return
    state.note(uid, { earlierEnds: new Map([...(state.noteOf(uid).earlierEnds ?? []), ...ends]) })
  }

  /** Once its marks are seen whole, it is known by its UID, and they are what it is to have. */
  function know({ metadata }: RunnerPod): void {
    const { name, uid } = metadata
    state.uids.set(name, uid)
    const { labels, isBusy } = state.noteOf(uid)
    const isWhole = labels === undefined && isOursByMarks({ metadata }, context.site.hostId)
    if (isWhole && metadata.labels !== undefined) state.note(uid, { labels: metadata.labels })
    if (!isBusy && isProtectedPod({ metadata })) state.note(uid, { isBusy: true })
  }

  /** A problem that time or a warning showed is not in the pod any more when it has ended. */
  function noteStartProblem(name: string): boolean {
    const pod = inCache(context, name)
    if (pod === undefined) return false
    const { problem } = hosted(context, pod)
    if (problem !== null) state.note(pod.metadata.uid, { startProblem: problem })
    return true
  }

  function removed(name: string, { object }: Change<RunnerPod>): void {
    unheeded.remove(name)
    const { uid } = object.metadata
    const { isReleasing = false } = state.noteOf(uid)
    if (isReleasing || !leads()) {
      state.forget(uid)
      if (state.uids.get(name) === uid) state.uids.delete(name)
      return
    }
    state.addLost(name, { pod: object, goneAt: clock.now(), isProven: false })
    ask(name, async () => {
      await proveLost(context, name, signal)
      const lost = state.lost.get(name)
      if (lost !== undefined && !lost.isProven && lacksMarks(context, lost.pod)) {
        await restoreMarks(context, object, signal)
      }
    })
  }

  function restore(name: string, pod: RunnerPod): void {
    if (leads()) ask(name, () => restoreMarks(context, pod, signal))
  }

  function nodeChanged({ kind, object }: Change<NodeObject>): void {
    if (kind !== 'removed') state.nodeIsBack(object.metadata.name)
    for (const { metadata } of views.pods.by('node', object.metadata.name).value) notify(metadata.name)
  }

  /** A follower sees the leader's releases, and keeps no ends. */
  function leads(): boolean {
    try {
      context.writer()
      return true
    } catch {
      return false
    }
  }

  /** Where the cluster gives no answer now, a later find or list gets one. */
  function ask(name: string, question: () => Promise<unknown>): void {
    void question().then(
      () => notify(name),
      (error: unknown) => {
        if (!signal.aborted) log.warn({ err: error, runner: name }, 'the state of a runner is not known yet')
      },
    )
  }

  return {
    asked(name) {
      if (state.pendingCreates.has(name)) unseen.add(name, clock.now() + unseenAfterMs)
    },
    found(name) {
      const pod = inCache(context, name) ?? state.lost.get(name)?.pod
      if (pod !== undefined && isOurs(context, pod) && lacksMarks(context, pod)) restore(name, pod)
    },
    stop() {
      unheeded.stop()
      unseen.stop()
    },
  }
}
