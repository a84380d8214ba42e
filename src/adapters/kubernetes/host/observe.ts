import type { Change } from '../../../ports/cluster.ts'
import { earlierEndsOf } from './container-end.ts'
import type { HostContext } from './context.ts'
import { createDueList } from './due.ts'
import { findRunner, proveLost } from './list.ts'
import { hosted, inView, isOurs, readingOf } from './look.ts'
import { isOursByMarks, isProtectedPod } from './marks.ts'
import { isSameToRunners } from './nodes.ts'
import type { NodeObject, RunnerPod } from './objects.ts'
import { lacksMarks, restoreMarks } from './restore-marks.ts'
import { unheededAt } from './trouble.ts'

/** A watch shows what was made within a second; a minute and a half later the cluster itself knows. */
const UNSEEN_AFTER_MS = 100_000

export interface Observer {
  /** A start of this runner was asked for. */
  asked(name: string): void
  /** This runner was found, perhaps where no watch shows it. */
  found(name: string): void
  stop(): void
}

/** Turns what the views take into what the host remembers, and into names of runners about which something changed. */
export function createObserver(
  context: HostContext,
  tell: (name: string) => void,
  signal: AbortSignal,
): Observer {
  const { views, memory, clock, log } = context
  const unheeded = createDueList(clock, (name) => {
    noteTrouble(name)
    tell(name)
  })
  const unseen = createDueList(clock, (name) => {
    if (memory.reserved.has(name)) ask(name, () => findRunner(context, name, signal))
  })

  views.pods.onChange((change) => {
    const { name } = change.object.metadata
    const last = change.kind === 'changed' ? change.before : change.object
    if (!isOurs(context, last) && !isOurs(context, change.object)) return
    memory.reserved.delete(name)
    if (change.kind === 'removed') removed(name, change)
    else seen(name, change.object)
    tell(name)
  })
  views.nodes.onChange((change) => {
    if (change.kind === 'changed' && isSameToRunners(change.before, change.object)) return
    nodeChanged(change)
  })
  views.warnings.onChange(({ object }) => {
    if (noteTrouble(object.podName)) tell(object.podName)
  })

  function seen(name: string, pod: RunnerPod): void {
    memory.lost.delete(name)
    know(pod)
    if (lacksMarks(context, pod)) restore(name, pod)
    const { uid } = pod.metadata
    const { runner, isUntouched } = readingOf(context, pod)
    const at = isUntouched ? unheededAt(pod) : null
    if (at === null) unheeded.remove(name)
    else unheeded.add(name, at)
    if (runner.trouble !== null) memory.note(uid, { trouble: runner.trouble })
    const ends = earlierEndsOf(pod)
    if (ends.length === 0) return
    memory.note(uid, { earlierEnds: new Map([...(memory.noteOf(uid).earlierEnds ?? []), ...ends]) })
  }

  /** Once its marks are seen whole, it is known by its UID, and they are what it is to have. */
  function know({ metadata }: RunnerPod): void {
    const { name, uid } = metadata
    memory.uids.set(name, uid)
    const { labels, isBusy } = memory.noteOf(uid)
    const isWhole = labels === undefined && isOursByMarks({ metadata }, context.site.hostId)
    if (isWhole && metadata.labels !== undefined) memory.note(uid, { labels: metadata.labels })
    if (!isBusy && isProtectedPod({ metadata })) memory.note(uid, { isBusy: true })
  }

  /** What time or a warning adds to a pod is not in it any more when it has ended. */
  function noteTrouble(name: string): boolean {
    const pod = inView(context, name)
    if (pod === undefined) return false
    const { trouble } = hosted(context, pod)
    if (trouble !== null) memory.note(pod.metadata.uid, { trouble })
    return true
  }

  function removed(name: string, { object }: Change<RunnerPod>): void {
    unheeded.remove(name)
    const { uid } = object.metadata
    const { isReleasing = false } = memory.noteOf(uid)
    if (isReleasing || !leads()) {
      memory.forget(uid)
      if (memory.uids.get(name) === uid) memory.uids.delete(name)
      return
    }
    memory.lose(name, { pod: object, goneAt: clock.now(), isProven: false })
    ask(name, async () => {
      await proveLost(context, name, signal)
      const lost = memory.lost.get(name)
      if (lost !== undefined && !lost.isProven && lacksMarks(context, lost.pod)) {
        await restoreMarks(context, object, signal)
      }
    })
  }

  function restore(name: string, pod: RunnerPod): void {
    if (leads()) ask(name, () => restoreMarks(context, pod, signal))
  }

  function nodeChanged({ kind, object }: Change<NodeObject>): void {
    if (kind !== 'removed') memory.isBack(object.metadata.name)
    for (const { metadata } of views.pods.by('node', object.metadata.name).value) tell(metadata.name)
  }

  /** Who does not lead sees the leader's releases, and has nobody to keep ends for. */
  function leads(): boolean {
    try {
      context.writer()
      return true
    } catch {
      return false
    }
  }

  /** Where the cluster gives no answer now, whoever finds or lists the runner later gets one. */
  function ask(name: string, question: () => Promise<unknown>): void {
    void question().then(
      () => tell(name),
      (error: unknown) => {
        if (!signal.aborted)
          log.warn({ err: error, runner: name }, 'what became of a runner is not known yet')
      },
    )
  }

  return {
    asked(name) {
      if (memory.reserved.has(name)) unseen.add(name, clock.now() + UNSEEN_AFTER_MS)
    },
    found(name) {
      const pod = inView(context, name) ?? memory.lost.get(name)?.pod
      if (pod !== undefined && isOurs(context, pod) && lacksMarks(context, pod)) restore(name, pod)
    },
    stop() {
      unheeded.stop()
      unseen.stop()
    },
  }
}
