import type { Listing, LogFact, PodFact, Unread } from '../../../../domain/snapshot/index.ts'
import type { ReadContext } from './context.ts'
import { endedRunners } from './ended-runners.ts'
import { readEach } from './read-each.ts'
import { isStarted, runnerProgramOf } from './runner-programs.ts'

/** The last minutes of a controller that repeats its trouble. */
const linesMax = 200
const bytesMax = 32 * 1024
const deadlineMs = 10_000
/** A listener for each of 200 scale sets, and the controllers. */
const logsMax = 250

/** Enough to see what runners of one trouble have in common; failed ones first, then the newest. */
const runnerLogsMax = 50

/** The newest lines of controllers, listeners and managers of runners. */
export function readLogs(pods: Listing<PodFact>, context: ReadContext): Promise<Listing<LogFact>> {
  const sources = pods.items.flatMap(sourcesOf)
  return readTails({ title: 'logs of pods', noun: 'logs', sources, countMax: logsMax }, pods, context)
}

/** The newest lines of runners that failed or ended: the others are at work, and their jobs' logs are the forge's. */
export function readRunnerLogs(pods: Listing<PodFact>, context: ReadContext): Promise<Listing<LogFact>> {
  const sources = endedRunners(pods.items).map(({ pod, container }) => ({
    pod,
    container,
    role: 'runner' as const,
  }))
  const title = 'logs of runners that ended'
  return readTails({ title, noun: title, sources, countMax: runnerLogsMax }, pods, context)
}

interface Tails {
  readonly title: string
  readonly noun: string
  readonly sources: readonly LogSource[]
  readonly countMax: number
}

async function readTails(
  { title, noun, sources, countMax }: Tails,
  pods: Listing<PodFact>,
  context: ReadContext,
): Promise<Listing<LogFact>> {
  const at = context.clock.now()
  const order = {
    title,
    right: 'get pods/log',
    sources: sources.slice(0, countMax),
    nameOf: ({ pod, container }: LogSource) => `log of ${container} in ${pod.namespace}/${pod.name}`,
    read: (source: LogSource) => readLog(source, context),
  }
  const { items, unread } = await readEach(order, context)
  const [first] = sources.slice(countMax)
  const more = (next: LogSource): Unread => ({
    what: `${sources.length - countMax} more ${noun}, ${next.pod.namespace}/${next.pod.name} first`,
    why: `at most ${countMax} are read`,
    needs: 'a narrower scope',
  })
  return {
    source: 'cluster',
    at,
    items,
    unread: [...pods.unread, ...unread, ...(first === undefined ? [] : [more(first)])],
  }
}

async function readLog({ pod, container, role }: LogSource, context: ReadContext): Promise<LogFact> {
  const { namespace, name } = pod
  const order = { namespace, pod: name, container, linesMax, bytesMax, deadlineMs }
  const { text, isCut, isCutShort } = await context.reads.logs.tail(order, context.signal)
  const lines = text.split('\n').filter((line) => line !== '')
  return { pod: { namespace, name }, container, role, lines, isCut: isCut || isCutShort }
}

interface LogSource {
  readonly pod: PodFact
  readonly container: string
  readonly role: LogFact['role']
}

function sourcesOf(pod: PodFact): readonly LogSource[] {
  const role = runnerProgramOf(pod)
  if (role === null) return []
  return pod.statuses
    .filter((status) => isStarted(status) && !isInit(pod, status.name))
    .map(({ name }) => ({ pod, container: name, role }))
}

function isInit(pod: PodFact, container: string): boolean {
  return pod.containers.some(({ name, isInit }) => name === container && isInit)
}
