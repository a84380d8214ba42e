import type { Ending, NodeAtEnd } from '../../../domain/death/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import { terminatedOf } from './container-end.ts'
import type { HostContext } from './context.ts'
import { type EndEvents, eventsInView, readEvents } from './end-events.ts'
import { evidenceOf } from './evidence.ts'
import { inView, silentSinceOf } from './look.ts'
import { poolOf, RUNNER_CONTAINER } from './marks.ts'
import type { ContainerStatus, RunnerPod, Terminated } from './objects.ts'
import { type Outputs, outputsOutOfReach, readOutputs } from './outputs.ts'
import { nodeEndOf } from './pod-end.ts'
import { readEnding } from './read-end.ts'
import { exitedAtOf, stateOf } from './read-pod.ts'
import { troubleOf } from './trouble.ts'
import { isBelievable, mustBelieve } from './views.ts'

/** A kubelet that answers does so within a second; of a dead one nothing more comes by waiting. */
const READ_MAX_MS = 10_000
/** What ended while nobody looked is past its deadline when it is found, and is read once all the same. */
const READ_LATE_MS = 5_000
const nothingRead: Outputs = { tail: '', tails: new Map(), missing: [] }
const noEnds: ReadonlyMap<string, Terminated> = new Map()

/**
 * How a runner ended; null while it runs. Of one on a silent node, what is known of it up to its silence: who gives
 * it up has nothing else to seal.
 */
export async function endingOf(
  context: HostContext,
  name: string,
  signal: AbortSignal,
): Promise<Ending | null> {
  const { memory, views } = context
  const seen = inView(context, name)
  const lost = seen === undefined ? memory.lost.get(name) : undefined
  const pod = seen ?? lost?.pod
  if (pod === undefined) {
    mustBelieve('pods', views.pods.freshness())
    return null
  }
  const isGone = lost?.isProven ?? false
  const hasEnded = isGone || stateOf(pod) === 'exited'
  const silentSince = hasEnded ? null : silentSinceOf(context, pod)
  if (!hasEnded && silentSince === null) return null
  const { uid } = pod.metadata
  const note = memory.noteOf(uid)
  const { ending: kept, stop = null, trouble: earlier = null, earlierEnds = noEnds } = note
  if (kept !== undefined) return kept
  const isOutOfReach = isGone || silentSince !== null
  const isUnneeded = note.isUnneeded === true && earlier === null
  const { outputs, told, now } = await readAround(context, pod, { isOutOfReach, stop, isUnneeded }, signal)
  const ending = readEnding({
    ...{ pod, silentSince, now, stopRequestedBy: stop, events: told.events },
    ...{ tail: outputs.tail, tails: outputs.tails, missing: [...outputs.missing, ...told.missing] },
    trouble: troubleOf(pod, views.warnings.by('pod', uid).value, now) ?? earlier,
    goneAt: isGone ? (lost?.goneAt ?? now) : null,
    ...{ nodeAtEnd: nodeAtEnd(context, pod), earlierEnds },
  })
  // What could not be read now may be readable later; what was is not read twice.
  if (hasEnded && ending.missing.length === 0) memory.keepEnding(uid, ending)
  return ending
}

/**
 * What its object does not say. The end of one that nobody needed costs no read, that of one that did its job costs one,
 * and others a few at a time.
 */
async function readAround(
  context: HostContext,
  pod: RunnerPod,
  known: { readonly isOutOfReach: boolean; readonly stop: string | null; readonly isUnneeded: boolean },
  signal: AbortSignal,
): Promise<{ readonly outputs: Outputs; readonly told: EndEvents; readonly now: Instant }> {
  const { isOutOfReach, stop, isUnneeded } = known
  const now = context.clock.now()
  const { tailLines, tailBytes, deadlineMs } = evidenceOf(context, poolOf(pod))
  const leftMs = (exitedAtOf(pod) ?? now) + deadlineMs - now
  const until = now + Math.min(READ_MAX_MS, Math.max(READ_LATE_MS, leftMs))
  const isPlain = !isOutOfReach && isPlainEnd(pod, stop)
  if (isPlain && isUnneeded && !hasBegun(pod)) {
    return { outputs: nothingRead, told: { events: eventsInView(context, pod), missing: [] }, now }
  }
  const bounds = { linesMax: tailLines, bytesMax: tailBytes }
  const [outputs, told] = await Promise.all([
    isOutOfReach
      ? outputsOutOfReach(pod)
      : readOutputs(context, { pod, bounds, withOthers: !isPlain, until }, signal),
    isPlain ? { events: eventsInView(context, pod), missing: [] } : readEvents(context, pod, until, signal),
  ])
  return { outputs, told, now }
}

/** Its runner did what it was to do, or we took it away before it had anything to do. */
function isPlainEnd(pod: RunnerPod, stop: string | null): boolean {
  if (pod.status.reason !== undefined) return false
  if (terminatedOf(runnerOf(pod))?.exitCode === 0) return true
  return stop !== null && !hasBegun(pod)
}

function hasBegun(pod: RunnerPod): boolean {
  const runner = runnerOf(pod)
  return terminatedOf(runner) !== undefined || runner?.state?.running !== undefined
}

function runnerOf({ status }: RunnerPod): ContainerStatus | undefined {
  return status.containerStatuses.find(({ name }) => name === RUNNER_CONTAINER)
}

/** Null where it was never placed, or where the view of nodes is too old to say. */
function nodeAtEnd({ views }: HostContext, { spec }: RunnerPod): NodeAtEnd | null {
  if (spec.nodeName === undefined) return null
  const { value, freshness } = views.nodes.get(spec.nodeName)
  return isBelievable(freshness) ? nodeEndOf(value) : null
}
