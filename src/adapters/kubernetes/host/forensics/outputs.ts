import { type BackOff, backOffMs } from '../../../../domain/back-off/index.ts'
import { HoldfastError } from '../../../../domain/errors/index.ts'
import { reasonOf } from '../../../../domain/reason.ts'
import type { TailBounds } from '../../../../domain/tail/index.ts'
import type { Instant } from '../../../../ports/clock.ts'
import type { LogOrder, LogTail } from '../../client/index.ts'
import type { HostContext } from '../context.ts'
import { pollerContainer, runnerContainer } from '../objects/marks.ts'
import type { ContainerStatus, RunnerPod } from '../objects/objects.ts'
import { failedInitContainer, neverRan, statusesOf } from '../status/start-problem.ts'

/** For the containers other than the main one. */
const otherBounds: TailBounds = { linesMax: 50, bytesMax: 4 * 1024 }
/** A pod of more containers than these is read from its newest ones. */
const othersMax = 8
const logTriesMax = 3
const logBackOff: BackOff = { baseMs: 500, capMs: 1_000 }

/** The last output of the containers of a pod, without secrets. */
export interface Outputs {
  /** Of the main container. */
  readonly tail: string
  /** Of others, by name. */
  readonly tails: ReadonlyMap<string, string>
  readonly missing: readonly string[]
}

type OutputReads = Pick<HostContext, 'logs' | 'clock'>

export interface OutputsOrder {
  readonly pod: RunnerPod
  readonly bounds: TailBounds
  /** Whether the output of other containers is read too. */
  readonly withOthers: boolean
  readonly until: Instant
}

/** Reads the runner's output; where it never ran, that of the poller or of what failed before it: that says why. */
export async function readOutputs(
  context: OutputReads,
  { pod, bounds, withOthers, until }: OutputsOrder,
  signal: AbortSignal,
): Promise<Outputs> {
  const main = mainContainerOf(pod)
  const ran = statusesOf(pod)
    .filter(hasRun)
    .map(({ name }) => name)
  const others = withOthers ? ran.filter((name) => name !== main).slice(-othersMax) : []
  const read = (container: string, of: TailBounds) =>
    readContainerOutput(context, orderOf(pod, container, of), until, signal)
  const [own, ...rest] = await Promise.all([
    main === undefined ? nothing : read(main, bounds),
    ...others.map((name) => read(name, otherBounds)),
  ])
  return {
    tail: own.text,
    tails: new Map(others.map((name, place) => [name, rest[place]?.text ?? ''])),
    missing: [own, ...rest].flatMap(({ missing }) => missing),
  }
}

/** The outputs of a pod whose node is out of reach. */
export function outputsOutOfReach(pod: RunnerPod): Outputs {
  const main = mainContainerOf(pod)
  const missing = main === undefined ? [] : [`the output of its container ${main}: it is out of reach`]
  return { tail: '', tails: new Map(), missing }
}

interface ContainerOutput {
  readonly text: string
  readonly missing: readonly string[]
}

const nothing: ContainerOutput = { text: '', missing: [] }

function orderOf(pod: RunnerPod, container: string, bounds: TailBounds): Omit<LogOrder, 'deadlineMs'> {
  const { name, namespace = '' } = pod.metadata
  return { namespace, pod: name, container, linesMax: bounds.linesMax, bytesMax: bounds.bytesMax }
}

async function readContainerOutput(
  context: OutputReads,
  order: Omit<LogOrder, 'deadlineMs'>,
  until: Instant,
  signal: AbortSignal,
): Promise<ContainerOutput> {
  const { container } = order
  if (order.linesMax === 0 || order.bytesMax === 0) return nothing // the pool wants none
  try {
    const { text, isCutShort, message } = await readLog(context, order, until, signal)
    const cut = `the newest output of its container ${container}: its lines are too long`
    const broken = `some output of its container ${container}: the kubelet says: ${message}`
    return { text, missing: [...(isCutShort ? [cut] : []), ...(message === null ? [] : [broken])] }
  } catch (error) {
    if (signal.aborted) throw error
    const reason = reasonOf(error)
    return { text: '', missing: [`the output of its container ${container}: ${reason}`] }
  }
}

/** A kubelet that was just restarted, or an API server under load, answers a moment later. */
async function readLog(
  { logs, clock }: OutputReads,
  order: Omit<LogOrder, 'deadlineMs'>,
  until: Instant,
  signal: AbortSignal,
): Promise<LogTail> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await logs.tail({ ...order, deadlineMs: Math.max(1, until - clock.now()) }, signal)
    } catch (error) {
      const mayComeYet = error instanceof HoldfastError && error.entry.retryable
      const pauseMs = backOffMs(logBackOff, tries)
      if (signal.aborted || !mayComeYet || tries === logTriesMax || clock.now() + pauseMs >= until)
        throw error
      await clock.sleep(pauseMs, signal)
    }
  }
}

/** The container whose output matters most: one that never ran has none. */
function mainContainerOf(pod: RunnerPod): string | undefined {
  const ran = statusesOf(pod).filter(hasRun)
  const main = [runnerContainer, pollerContainer, failedInitContainer(pod)?.name]
  return main.find((name) => ran.some((status) => status.name === name))
}

function hasRun(status: ContainerStatus): boolean {
  const { state, lastState } = status
  return !neverRan(status) && (state?.running ?? state?.terminated ?? lastState?.terminated) !== undefined
}
