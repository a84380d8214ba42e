import type { SharedBudget } from '../budget/index.ts'
import { isError } from '../domain/errors/index.ts'
import type { Instant } from '../domain/time.ts'
import { createDemotedKeys, type DemotedKeys, done, type Loop, requeueAfter } from '../loop/index.ts'
import type { ForgeDeliveries, SentDelivery } from '../ports/forge-deliveries.ts'
import type { CursorLedger, DeliveryLedger, LedgerClock } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import { createResyncPause } from './pace.ts'

export interface RedeliverDeps {
  readonly ledger: LedgerClock & DeliveryLedger & CursorLedger
  /** Null: the forge keeps no such list. */
  readonly deliveries: ForgeDeliveries | null
  readonly budget: Pick<SharedBudget, 'state'>
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
  readonly memory: RedeliveryMemory
}

/** The result of one pass over the forge's list, in messages (GUIDs). */
export interface RedeliveryReport {
  readonly looked: number
  readonly missing: number
  readonly sentAgain: number
  /** Messages that the forge does not keep any more, and those that were sent again too often without success. */
  readonly gone: number
}

/** State of a process between two passes; a new process only requests a little more often. */
export interface RedeliveryMemory {
  /** How often each missing message was requested again. */
  readonly asked: Map<string, number>
  /** Messages, jobs and registrations about which the forge did not answer. */
  readonly unanswered: DemotedKeys
  /** Messages that are given up: not requested again. */
  readonly gone: Set<string>
  /** Messages that were missing at the end of the last pass, and not given up. */
  missing: ReadonlySet<string>
  /** The ledger's time before the list was last read as a whole. */
  readAt: Instant | null
  /** When the newest received message was sent. */
  receivedAt: Instant | null
}

export function createRedeliveryMemory(): RedeliveryMemory {
  return {
    asked: new Map(),
    unanswered: createDemotedKeys(),
    gone: new Set(),
    missing: new Set(),
    readAt: null,
    receivedAt: null,
  }
}

/** GitHub keeps its list for three days. */
const keptMs = 3 * 24 * 60 * 60_000
/** How far back the very first pass looks: not into a history before Holdfast. */
const firstLookBackMs = 24 * 60 * 60_000
/** Tries that were under way while the list was read are seen by the next pass, also where clocks differ. */
const overlapMs = 2 * 60_000
const sendsPerPassMax = 50
/** This many requests without an answer end a pass: the forge has a problem, and the rest can wait. */
const unansweredPerPassMax = 5
/** After this many requests a message is given up: the audit finds what it reported. */
const sendsPerMessageMax = 5
/** How soon the rest follows where a pass could not request all. */
const nextBatchMs = 10_000
const rememberedMax = 10_000

const cursorName = (installation: string) => `deliveries ${installation}`
const lossName = (installation: string) => `deliveries lost ${installation}`

/** Requests redelivery of webhooks that did not reach us. */
export function redeliverLoop(deps: RedeliverDeps, everyMs: number): Loop {
  const pause = createResyncPause('the forge is not asked for lost webhooks', deps)
  return {
    name: 'redeliver',
    resyncMs: everyMs,
    wokenBy: () => false,
    async pass(signal) {
      if (deps.deliveries === null) return done
      const putOff = pause.putOff()
      if (putOff !== null) return requeueAfter(putOff.forMs)
      const { missing, sentAgain, gone } = await redeliver(deps, deps.deliveries, signal)
      const isMore = missing > sentAgain + gone && sentAgain >= sendsPerPassMax
      return isMore ? requeueAfter(nextBatchMs) : pause.next(everyMs)
    },
  }
}

/** One pass over the list. A list that could not be read moves no cursor: it throws before anything is done. */
export async function redeliver(
  deps: RedeliverDeps,
  deliveries: ForgeDeliveries,
  signal: AbortSignal,
): Promise<RedeliveryReport> {
  const { ledger, installation, memory } = deps
  const now = await ledger.now()
  const cursor = await ledger.cursor(cursorName(installation))
  const since = Math.max((cursor ?? now - firstLookBackMs) - overlapMs, now - keptMs)
  const sent = await deliveries.sentSince(since, signal)
  // Messages from before the list begins are as good as lost, and so are those from before the first pass.
  if (cursor === null || cursor < now - keptMs) await ledger.moveCursor(lossName(installation), now)
  const messages = [...Map.groupBy(sent, ({ guid }) => guid).values()]
  const missing = await missingOf(messages, deps)
  const { sentAgain, gone, left } = await sendAgain(missing, deliveries, deps, signal)
  memory.missing = new Set(missing.map(guidOf).filter((guid) => !memory.gone.has(guid)))
  memory.receivedAt = Math.max(memory.receivedAt ?? 0, ...sent.filter(isReceived).map(({ sentAt }) => sentAt))
  await ledger.moveCursor(cursorName(installation), Math.min(now, ...left.map((tries) => firstOf(tries) - 1)))
  memory.readAt = now
  return { looked: messages.length, missing: missing.length, sentAgain, gone }
}

/**
 * Whether every message that the forge sent since then has arrived or will arrive: only then a run whose known jobs have
 * all ended can have no other. A forge of which no message arrived at all may have its webhooks switched off.
 */
export async function isListWhole(deps: RedeliverDeps, since: Instant): Promise<boolean> {
  const { ledger, memory } = deps
  if (deps.deliveries === null || memory.readAt === null || memory.readAt < since) return false
  if (memory.receivedAt === null || memory.receivedAt < since) return false
  if (((await lostAt(deps)) ?? 0) >= since) return false
  const missing = [...memory.missing]
  if ((await ledger.knownDeliveries(missing)).size < missing.length) return false
  const [poison] = await ledger.deliveries({ states: ['poison'], limit: 1 })
  return poison === undefined || poison.receivedAt < since
}

/** When a message was last found to be lost for good; null: never. */
export function lostAt({ ledger, installation }: RedeliverDeps): Promise<Instant | null> {
  return ledger.cursor(lossName(installation))
}

/** Messages without a success, at the forge or here; the oldest first. */
async function missingOf(
  messages: readonly Tries[],
  { ledger, memory }: RedeliverDeps,
): Promise<readonly Tries[]> {
  const failed = messages.filter((tries) => !tries.some(isReceived) && !memory.gone.has(guidOf(tries)))
  const known = await ledger.knownDeliveries(failed.map(guidOf))
  return failed.filter((tries) => !known.has(guidOf(tries))).sort((a, b) => firstOf(a) - firstOf(b))
}

/** All tries to send one message. */
type Tries = readonly SentDelivery[]

async function sendAgain(
  missing: readonly Tries[],
  deliveries: ForgeDeliveries,
  deps: RedeliverDeps,
  signal: AbortSignal,
): Promise<{ readonly sentAgain: number; readonly gone: number; readonly left: readonly Tries[] }> {
  const { memory, metrics } = deps
  const left: Tries[] = []
  let sentAgain = 0
  let gone = 0
  let unanswered = 0
  let failed = 0
  for (const tries of memory.unanswered.order(missing, nameOf)) {
    const guid = guidOf(tries)
    if (sentAgain + failed >= sendsPerPassMax || unanswered >= unansweredPerPassMax) {
      left.push(tries)
      continue
    }
    // Tries in the list count also where another process, or an earlier one, requested them.
    const asked = Math.max(tries.length - 1, memory.asked.get(guid) ?? 0)
    if (asked >= sendsPerMessageMax) {
      gone += 1
      await giveUp(tries, 'given-up', deps)
      continue
    }
    const answer = await ask(tries, deliveries, deps, signal)
    if (answer === 'unanswered' || answer === 'failed') {
      if (answer === 'unanswered') unanswered += 1
      else {
        failed += 1
        remember(memory, guid, asked + 1)
      }
      left.push(tries) // it may be under way: the next pass shows it
      continue
    }
    if (answer === 'gone') {
      gone += 1
      await giveUp(tries, 'gone', deps)
      continue
    }
    sentAgain += 1
    remember(memory, guid, asked + 1)
    metrics.count('holdfast_redeliveries_total', { outcome: 'asked' })
    left.push(tries)
  }
  if (sentAgain > 0) deps.log.info({ missing: missing.length, sentAgain }, 'webhooks are asked for again')
  return { sentAgain, gone, left }
}

/**
 * A request without an answer must not undo the results of the pass, or its cursor would never move. A request that fails
 * by a defect of ours is logged and retried as often as a message that is sent in vain; the others continue.
 */
async function ask(
  tries: Tries,
  deliveries: ForgeDeliveries,
  { memory, log, metrics }: RedeliverDeps,
  signal: AbortSignal,
): Promise<'asked' | 'gone' | 'unanswered' | 'failed'> {
  try {
    const answer = await deliveries.sendAgain(newestOf(tries).id, signal)
    memory.unanswered.restore(nameOf(tries))
    return answer
  } catch (error) {
    if (signal.aborted) throw error
    memory.unanswered.demote(nameOf(tries))
    if (isError(error, 'E_FORGE_UNAVAILABLE')) return 'unanswered'
    metrics.count('holdfast_task_failures_total', { task: 'redeliver' })
    log.error({ guid: guidOf(tries), err: error }, 'a webhook could not be asked for again')
    return 'failed'
  }
}

async function giveUp(tries: Tries, outcome: 'gone' | 'given-up', deps: RedeliverDeps): Promise<void> {
  const { ledger, log, metrics, memory, installation } = deps
  const guid = guidOf(tries)
  // Written first: without it the audit would never look for a message that is dropped here.
  await ledger.moveCursor(lossName(installation), await ledger.now())
  if (memory.gone.size >= rememberedMax) memory.gone.clear()
  memory.gone.add(guid)
  memory.asked.delete(guid)
  metrics.count('holdfast_redeliveries_total', { outcome })
  log.warn({ guid, event: newestOf(tries).event, tries: tries.length, outcome }, 'a webhook is lost for good')
}

function remember(memory: RedeliveryMemory, guid: string, times: number): void {
  if (memory.asked.size >= rememberedMax) memory.asked.clear()
  memory.asked.set(guid, times)
}

const isReceived = (sent: SentDelivery): boolean => sent.isReceived
const guidOf = (tries: Tries): string => (tries[0] as SentDelivery).guid
const nameOf = (tries: Tries): string => `delivery ${guidOf(tries)}`
const firstOf = (tries: Tries): Instant => Math.min(...tries.map(({ sentAt }) => sentAt))
const newestOf = (tries: Tries): SentDelivery => tries.reduce((a, b) => (b.sentAt > a.sentAt ? b : a))
