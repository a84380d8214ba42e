import type { Ending } from '../../../domain/death/index.ts'
import { HoldfastError } from '../../../domain/errors/index.ts'
import type { EvidencePlan } from '../../../domain/pool/index.ts'
import { redactText } from '../../../domain/redact/index.ts'
import type { LogOrder, LogTail } from '../pod-logs.ts'
import type { HostContext } from './context.ts'
import { inView, silentSinceOf } from './look.ts'
import { POLLER_CONTAINER, poolOf, RUNNER_CONTAINER } from './marks.ts'
import type { RunnerPod } from './objects.ts'
import { type Output, readEnding } from './read-end.ts'
import { stateOf } from './read-pod.ts'
import { failedPreparation, neverRan, statusesOf, troubleOf } from './trouble.ts'
import { mustBelieve } from './views.ts'

/** For a pod whose pool is gone. */
const evidenceDefault: EvidencePlan = { tailLines: 200, tailBytes: 64 * 1024, deadlineMs: 60_000 }
/** A kubelet that answers does so within a second; of a dead one nothing more comes by waiting. */
const LOG_READ_MAX_MS = 10_000
const LOG_TRIES_MAX = 3
const LOG_PAUSE_MS = 500

/**
 * How a runner ended; null while it runs. Of one on a silent node, what is known of it up to its silence: who gives
 * it up has nothing else to seal.
 */
export async function endingOf(
  context: HostContext,
  name: string,
  signal: AbortSignal,
): Promise<Ending | null> {
  const { memory, views, clock } = context
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
  const { ending: kept, stop = null, trouble: earlier = null } = memory.noteOf(uid)
  if (kept !== undefined) return kept
  const now = clock.now()
  const output = isGone || silentSince !== null ? nothingToRead(pod) : await readOutput(context, pod, signal)
  const ending = readEnding({
    ...{ pod, silentSince, output, now, stopRequestedBy: stop },
    trouble: troubleOf(pod, views.warnings.by('pod', uid).value, now) ?? earlier,
    goneAt: isGone ? (lost?.goneAt ?? now) : null,
  })
  // What could not be read now may be readable later; what was is not read twice.
  if (hasEnded && ending.missing.length === 0) memory.keepEnding(uid, ending)
  return ending
}

/** The runner's output; where it never ran, that of the poller or of what failed before it: that says why. */
async function readOutput(context: HostContext, pod: RunnerPod, signal: AbortSignal): Promise<Output> {
  const container = spokenOf(pod)
  if (container === undefined) return { tail: '', missing: [] }
  const evidence = context.plan(poolOf(pod))?.evidence ?? evidenceDefault
  const { name, namespace = '' } = pod.metadata
  const order = {
    ...{ namespace, pod: name, container, linesMax: evidence.tailLines, bytesMax: evidence.tailBytes },
    deadlineMs: Math.min(evidence.deadlineMs, LOG_READ_MAX_MS),
  }
  try {
    const { text, isCutShort } = await readLog(context, order, signal)
    const missing = isCutShort
      ? [`the newest output of its container ${container}: its lines are too long`]
      : []
    return { tail: redactText(text, text.length), missing }
  } catch (error) {
    if (signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    return { tail: '', missing: [`the output of its container ${container}: ${reason}`] }
  }
}

/** A kubelet that was just restarted, or an API server under load, answers a moment later. */
async function readLog({ logs, clock }: HostContext, order: LogOrder, signal: AbortSignal): Promise<LogTail> {
  const until = clock.now() + order.deadlineMs
  for (let tries = 1; ; tries += 1) {
    try {
      return await logs.tail({ ...order, deadlineMs: Math.max(1, until - clock.now()) }, signal)
    } catch (error) {
      const mayComeYet = error instanceof HoldfastError && error.entry.retryable
      const pauseMs = LOG_PAUSE_MS * 2 ** (tries - 1)
      if (signal.aborted || !mayComeYet || tries === LOG_TRIES_MAX || clock.now() + pauseMs >= until)
        throw error
      await clock.sleep(pauseMs, signal)
    }
  }
}

function nothingToRead(pod: RunnerPod): Output {
  const container = spokenOf(pod)
  const missing =
    container === undefined ? [] : [`the output of its container ${container}: it is out of reach`]
  return { tail: '', missing }
}

/** The container whose output tells most: one that never ran has none. */
function spokenOf(pod: RunnerPod): string | undefined {
  const ran = statusesOf(pod).filter(
    (status) =>
      !neverRan(status) &&
      (status.state?.running ?? status.state?.terminated ?? status.lastState?.terminated) !== undefined,
  )
  const telling = [RUNNER_CONTAINER, POLLER_CONTAINER, failedPreparation(pod)?.name]
  return telling.find((name) => ran.some((status) => status.name === name))
}
