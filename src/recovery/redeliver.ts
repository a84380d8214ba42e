import type { SharedBudget } from '../budget/index.ts'
import { isError } from '../domain/errors/index.ts'
import type { Instant } from '../domain/time.ts'
import { again, createLastInLine, done, type LastInLine, type Loop } from '../loop/index.ts'
import type { ForgeDeliveries, SentDelivery } from '../ports/forge-deliveries.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Log } from '../ports/log.ts'
import type { Metrics } from '../ports/metrics.ts'
import { sweepPause } from './pace.ts'

export interface RedeliverDeps {
  readonly ledger: Ledger
  /** Null: the forge keeps no such list. */
  readonly deliveries: ForgeDeliveries | null
  readonly budget: Pick<SharedBudget, 'state'>
  readonly installation: string
  readonly log: Log
  readonly metrics: Metrics
  readonly memory: RedeliveryMemory
}

/** What one look at the forge's list came to, in messages (GUIDs). */
export interface RedeliveryReport {
  readonly looked: number
  readonly missing: number
  readonly sentAgain: number
  /** Those that the forge does not keep any more, and those that were sent again in vain too often. */
  readonly gone: number
}

/** What a process remembers between two passes; whoever starts anew only asks a little more often. */
export interface RedeliveryMemory {
  /** How often each missing message was asked for again. */
  readonly asked: Map<string, number>
  /** Messages, jobs and registrations about which the forge did not answer. */
  readonly unanswered: LastInLine
  /** Given up: not asked for again. */
  readonly gone: Set<string>
  /** Missing at the end of the last pass, and not given up. */
  missing: ReadonlySet<string>
  /** The ledger's time before the list was last read as a whole. */
  readAt: Instant | null
  /** When the newest message was sent that somebody received. */
  receivedAt: Instant | null
}

export function createRedeliveryMemory(): RedeliveryMemory {
  return {
    asked: new Map(),
    unanswered: createLastInLine(),
    gone: new Set(),
    missing: new Set(),
    readAt: null,
    receivedAt: null,
  }
}

/** GitHub keeps its list for three days. */
const keptMs = 3 * 24 * 60 * 60_000
/** How far back the very first look goes: not into a history that is none of ours. */
const firstLookBackMs = 24 * 60 * 60_000
/** Tries that were under way while the list was read are seen by the next look, also where clocks differ. */
const overlapMs = 2 * 60_000
const sendsPerPassMax = 50
/** So many questions without an answer end a pass: the forge is not well, and the rest can wait. */
const unansweredPerPassMax = 5
/** After so many a message is given up: the audit finds what it told. */
const sendsPerMessageMax = 5
/** How soon the rest follows where a pass could not send all. */
const nextBatchMs = 10_000
const rememberedMax = 10_000

const cursorName = (installation: string) => `deliveries ${installation}`
const lossName = (installation: string) => `deliveries lost ${installation}`

/** Asks the forge to send again what did not reach us. */
export function redeliverLoop(deps: RedeliverDeps, everyMs: number): Loop {
  const pause = sweepPause('the forge is not asked for lost webhooks', deps)
  return {
    name: 'redeliver',
    sweepMs: everyMs,
    wokenBy: () => false,
    async pass(signal) {
      if (deps.deliveries === null) return done
      const putOff = pause.putOff()
      if (putOff !== null) return again(putOff.forMs)
      const { missing, sentAgain, gone } = await redeliver(deps, deps.deliveries, signal)
      const isMore = missing > sentAgain + gone && sentAgain >= sendsPerPassMax
      return isMore ? again(nextBatchMs) : pause.next(everyMs)
    },
  }
}

/** One look at the list. A list that could not be read moves no cursor: it throws before anything is done. */
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
  // What was sent before the list reaches back is as good as lost, and so is what came before the first look.
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
 * Whether every message that the forge sent since then has come or will come: only then a run whose known jobs
 * have all ended can have no other. A forge from which nothing came at all may have its webhooks switched off.
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

/** When it was last seen that a message was lost for good; null: never. */
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
    // Tries that the list shows count also where another process, or an earlier life of this one, asked for them.
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
      left.push(tries) // it may be on its way: the next look shows it
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
 * One question that finds no answer must not undo what the pass has seen, or its cursor would never move. One that fails
 * otherwise, by a defect of ours, is told of and tried as often as a message that is sent in vain; the others go on.
 */
async function ask(
  tries: Tries,
  deliveries: ForgeDeliveries,
  { memory, log, metrics }: RedeliverDeps,
  signal: AbortSignal,
): Promise<'asked' | 'gone' | 'unanswered' | 'failed'> {
  try {
    const answer = await deliveries.sendAgain(newestOf(tries).id, signal)
    memory.unanswered.answered(nameOf(tries))
    return answer
  } catch (error) {
    if (signal.aborted) throw error
    memory.unanswered.failed(nameOf(tries))
    if (isError(error, 'E_FORGE_UNAVAILABLE')) return 'unanswered'
    metrics.count('holdfast_task_failures_total', { task: 'redeliver' })
    log.error({ guid: guidOf(tries), err: error }, 'a webhook could not be asked for again')
    return 'failed'
  }
}

async function giveUp(tries: Tries, outcome: 'gone' | 'given-up', deps: RedeliverDeps): Promise<void> {
  const { ledger, log, metrics, memory, installation } = deps
  const guid = guidOf(tries)
  // Written first: a message that is forgotten without this would never be looked for by the audit.
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
