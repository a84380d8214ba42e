import { HoldfastError } from '../../../domain/errors/index.ts'
import type { TailBounds } from '../../../domain/tail/index.ts'
import type { Instant } from '../../../ports/clock.ts'
import type { LogOrder, LogTail } from '../pod-logs.ts'
import type { HostContext } from './context.ts'
import { POLLER_CONTAINER, RUNNER_CONTAINER } from './marks.ts'
import type { ContainerStatus, RunnerPod } from './objects.ts'
import { failedPreparation, neverRan, statusesOf } from './trouble.ts'

/** Of the containers beside the one that tells most. */
const OTHER_BOUNDS: TailBounds = { linesMax: 50, bytesMax: 4 * 1024 }
/** A pod of more containers than these is read from its newest ones. */
const OTHERS_MAX = 8
const LOG_TRIES_MAX = 3
const LOG_PAUSE_MS = 500

/** What the containers of a pod wrote last, without secrets. */
export interface Outputs {
  /** Of the container that tells most. */
  readonly tail: string
  /** Of others, by name. */
  readonly tails: ReadonlyMap<string, string>
  readonly missing: readonly string[]
}

type Reading = Pick<HostContext, 'logs' | 'clock'>

export interface OutputsOrder {
  readonly pod: RunnerPod
  readonly bounds: TailBounds
  /** Whether also those containers are read that tell less. */
  readonly withOthers: boolean
  readonly until: Instant
}

/** Reads the runner's output; where it never ran, that of the poller or of what failed before it: that says why. */
export async function readOutputs(
  context: Reading,
  { pod, bounds, withOthers, until }: OutputsOrder,
  signal: AbortSignal,
): Promise<Outputs> {
  const telling = tellingOf(pod)
  const ran = statusesOf(pod)
    .filter(hasRun)
    .map(({ name }) => name)
  const others = withOthers ? ran.filter((name) => name !== telling).slice(-OTHERS_MAX) : []
  const read = (container: string, of: TailBounds) =>
    readOne(context, orderOf(pod, container, of), until, signal)
  const [own, ...rest] = await Promise.all([
    telling === undefined ? nothing : read(telling, bounds),
    ...others.map((name) => read(name, OTHER_BOUNDS)),
  ])
  return {
    tail: own.text,
    tails: new Map(others.map((name, place) => [name, rest[place]?.text ?? ''])),
    missing: [own, ...rest].flatMap(({ missing }) => missing),
  }
}

/** What is said of a pod whose node gives no output any more. */
export function outputsOutOfReach(pod: RunnerPod): Outputs {
  const telling = tellingOf(pod)
  const missing = telling === undefined ? [] : [`the output of its container ${telling}: it is out of reach`]
  return { tail: '', tails: new Map(), missing }
}

interface One {
  readonly text: string
  readonly missing: readonly string[]
}

const nothing: One = { text: '', missing: [] }

function orderOf(pod: RunnerPod, container: string, bounds: TailBounds): Omit<LogOrder, 'deadlineMs'> {
  const { name, namespace = '' } = pod.metadata
  return { namespace, pod: name, container, linesMax: bounds.linesMax, bytesMax: bounds.bytesMax }
}

async function readOne(
  context: Reading,
  order: Omit<LogOrder, 'deadlineMs'>,
  until: Instant,
  signal: AbortSignal,
): Promise<One> {
  const { container } = order
  if (order.linesMax === 0 || order.bytesMax === 0) return nothing // the pool wants none
  try {
    const { text, isCutShort, said } = await readLog(context, order, until, signal)
    const cut = `the newest output of its container ${container}: its lines are too long`
    const broken = `some output of its container ${container}: the kubelet says: ${said}`
    return { text, missing: [...(isCutShort ? [cut] : []), ...(said === null ? [] : [broken])] }
  } catch (error) {
    if (signal.aborted) throw error
    const reason = error instanceof Error ? error.message : String(error)
    return { text: '', missing: [`the output of its container ${container}: ${reason}`] }
  }
}

/** A kubelet that was just restarted, or an API server under load, answers a moment later. */
async function readLog(
  { logs, clock }: Reading,
  order: Omit<LogOrder, 'deadlineMs'>,
  until: Instant,
  signal: AbortSignal,
): Promise<LogTail> {
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

/** The container whose output tells most: one that never ran has none. */
function tellingOf(pod: RunnerPod): string | undefined {
  const ran = statusesOf(pod).filter(hasRun)
  const telling = [RUNNER_CONTAINER, POLLER_CONTAINER, failedPreparation(pod)?.name]
  return telling.find((name) => ran.some((status) => status.name === name))
}

function hasRun(status: ContainerStatus): boolean {
  const { state, lastState } = status
  return !neverRan(status) && (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined
}
