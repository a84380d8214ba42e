import type { Ending, NodeAtEnd } from '../../../../domain/death/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import type { HostContext } from '../context.ts'
import { poolOf, runnerContainer } from '../objects/marks.ts'
import type { ContainerStatus, RunnerPod, Terminated } from '../objects/objects.ts'
import { exitedAtOf, stateOf } from '../status/runner-status.ts'
import { startProblemOf } from '../status/start-problem.ts'
import { inCache, silentSinceOf } from '../watch/read-runner.ts'
import { isFresh, requireFresh } from '../watch/views.ts'
import { terminatedOf } from './container-end.ts'
import { type EndEvents, eventsInView, readEvents } from './end-events.ts'
import { evidenceOf } from './evidence-plan.ts'
import { type Outputs, outputsOutOfReach, readOutputs } from './outputs.ts'
import { nodeEndOf } from './pod-end.ts'
import { endingFrom } from './runner-end.ts'

/** A kubelet that answers does so within a second; of a dead one nothing more comes by waiting. */
const readMaxMs = 10_000
/** A runner that ended while no replica led is past its deadline when it is found, and is read once all the same. */
const readLateMs = 5_000
const nothingRead: Outputs = { tail: '', tails: new Map(), missing: [] }
const noEnds: ReadonlyMap<string, Terminated> = new Map()

/**
 * How a runner ended; null while it runs. On a silent node, the evidence up to its silence: when
 * the runner is given up, nothing else can be sealed.
 */
export async function captureEnding(
  context: HostContext,
  name: string,
  signal: AbortSignal,
): Promise<Ending | null> {
  const { state, views } = context
  const cached = inCache(context, name)
  const lost = cached === undefined ? state.lost.get(name) : undefined
  const pod = cached ?? lost?.pod
  if (pod === undefined) {
    requireFresh('pods', views.pods.freshness())
    return null
  }
  const isGone = lost?.isProven ?? false
  const hasEnded = isGone || stateOf(pod) === 'exited'
  const silentSince = hasEnded ? null : silentSinceOf(context, pod)
  if (!hasEnded && silentSince === null) return null
  const { uid } = pod.metadata
  const note = state.noteOf(uid)
  const { ending: kept, stop = null, startProblem: earlier = null, earlierEnds = noEnds } = note
  if (kept !== undefined) return kept
  const isOutOfReach = isGone || silentSince !== null
  const isUnneeded = note.isUnneeded === true && earlier === null
  const { outputs, about, now } = await readAround(context, pod, { isOutOfReach, stop, isUnneeded }, signal)
  const ending = endingFrom({
    pod,
    silentSince,
    now,
    stopRequestedBy: stop,
    events: about.events,
    tail: outputs.tail,
    tails: outputs.tails,
    missing: [...outputs.missing, ...about.missing],
    startProblem: startProblemOf(pod, views.warnings.by('pod', uid).value, now) ?? earlier,
    goneAt: isGone ? (lost?.goneAt ?? now) : null,
    nodeAtEnd: nodeAtEnd(context, pod),
    earlierEnds,
  })
  // An incomplete ending may be complete later; a complete one is not read twice.
  if (hasEnded && ending.missing.length === 0) state.keepEnding(uid, ending)
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
): Promise<{ readonly outputs: Outputs; readonly about: EndEvents; readonly now: Instant }> {
  const { isOutOfReach, stop, isUnneeded } = known
  const now = context.clock.now()
  const { tailLines, tailBytes, deadlineMs } = evidenceOf(context, poolOf(pod))
  const leftMs = (exitedAtOf(pod) ?? now) + deadlineMs - now
  const until = now + Math.min(readMaxMs, Math.max(readLateMs, leftMs))
  const isPlain = !isOutOfReach && isPlainEnd(pod, stop)
  if (isPlain && isUnneeded && !hasBegun(pod)) {
    return { outputs: nothingRead, about: { events: eventsInView(context, pod), missing: [] }, now }
  }
  const bounds = { linesMax: tailLines, bytesMax: tailBytes }
  const [outputs, about] = await Promise.all([
    isOutOfReach
      ? outputsOutOfReach(pod)
      : readOutputs(context, { pod, bounds, withOthers: !isPlain, until }, signal),
    isPlain ? { events: eventsInView(context, pod), missing: [] } : readEvents(context, pod, until, signal),
  ])
  return { outputs, about, now }
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
  return status.containerStatuses.find(({ name }) => name === runnerContainer)
}

/** Null where it was never placed, or where the view of nodes is too old to say. */
function nodeAtEnd({ views }: HostContext, { spec }: RunnerPod): NodeAtEnd | null {
  if (spec.nodeName === undefined) return null
  const { value, freshness } = views.nodes.get(spec.nodeName)
  return isFresh(freshness) ? nodeEndOf(value) : null
}
