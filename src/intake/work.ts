import type { ForgeWord } from '../domain/binding/index.ts'
import { HoldfastError } from '../domain/errors/index.ts'
import { again, done, type Loop, type Outcome } from '../loop/index.ts'
import type { Delivery, DeliveryOutcome } from '../ports/ledger.ts'
import type { Parsed } from '../ports/webhooks.ts'
import { countLost } from './count-lost.ts'
import type { IntakeDeps } from './receive.ts'

/** So many are read at a time, with their bodies. */
const batchSize = 128
/** So many subjects are worked on at the same time: the ledger takes what comes together in one transaction. */
const subjectsAtOnceMax = 64
/** Deliveries are looked for this often although nobody rang. */
const sweepMs = 10_000
const triesMax = 5
const retryMs = 5_000

/**
 * Works on stored deliveries, those of one subject in the order of their arrival. The order does not matter for what
 * comes of it, as what a late word says is already known; it spares the work of making up for a start that follows.
 */
export function intakeLoop(deps: IntakeDeps): Loop {
  return {
    name: 'intake',
    sweepMs,
    wokenBy: (wake) => wake.kind === 'deliveries',
    pass: () => workOnDeliveries(deps),
  }
}

async function workOnDeliveries(deps: IntakeDeps): Promise<Outcome> {
  const deliveries = await deps.ledger.pendingDeliveries(batchSize)
  const waiting = Map.groupBy(deliveries, ({ guid, subject }) => subject ?? guid).values()
  // They share one iterator: each takes the next subject when it is done with one.
  const hands = Array.from({ length: subjectsAtOnceMax }, async () => {
    for (const ofOne of waiting) await workInOrder(ofOne, deps)
  })
  const failed = (await Promise.allSettled(hands)).find((hand) => hand.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return deliveries.length < batchSize ? done : again(0)
}

/** One that failed ends it: those after it come when it is tried again. */
async function workInOrder(deliveries: readonly Delivery[], deps: IntakeDeps): Promise<void> {
  for (const delivery of deliveries) {
    const outcome = await workOn(delivery, deps)
    deps.metrics.count('holdfast_deliveries_worked_total', { outcome, event: delivery.event })
    if (outcome === 'failed') return
  }
}

/** A job that nobody here serves is told from a message that is not about jobs. */
type Worked = DeliveryOutcome['kind'] | 'foreign'

async function workOn(delivery: Delivery, deps: IntakeDeps): Promise<Worked> {
  try {
    const parsed = deps.webhooks.parse(delivery.event, delivery.body)
    if (parsed.kind === 'word') return await hear(delivery, parsed.word, deps)
    return await settle(delivery, settledAs[parsed.kind], whyOf(parsed), deps)
  } catch (error) {
    // Of the ledger, not of this one: the pass is repeated, and the delivery stays as it is.
    if (error instanceof HoldfastError && error.entry.retryable) throw error
    return fail(delivery, error, deps)
  }
}

const settledAs = { ping: 'ignored', ignored: 'ignored', malformed: 'poison', deferred: 'failed' } as const

function whyOf(parsed: Exclude<Parsed, { kind: 'word' }>): string {
  return parsed.kind === 'ping' ? 'a ping' : parsed.why
}

/** The delivery is settled in the same transaction, unless the word could not be taken. */
async function hear(delivery: Delivery, word: ForgeWord, deps: IntakeDeps): Promise<Worked> {
  const heard = await deps.ledger.hear(word, { source: 'webhook' }, delivery.guid)
  await countLost(word, heard, deps)
  return heard.kind === 'foreign' ? 'foreign' : 'done'
}

/** It is tried again a few times and then set aside; one that cannot even be settled must not stop the others. */
async function fail(delivery: Delivery, error: unknown, deps: IntakeDeps): Promise<Worked> {
  const { guid, tries } = delivery
  deps.log.error({ guid, tries, err: error }, 'a delivery could not be worked on')
  const note = error instanceof Error ? error.message : String(error)
  try {
    return await settle(delivery, tries + 1 >= triesMax ? 'poison' : 'failed', note, deps)
  } catch (unsettled) {
    if (unsettled instanceof HoldfastError && unsettled.entry.retryable) throw unsettled
    deps.log.error({ guid, tries, err: unsettled }, 'a delivery could not be settled; it is tried again')
    return 'failed'
  }
}

async function settle(
  { guid }: Delivery,
  kind: Exclude<DeliveryOutcome['kind'], 'done'>,
  note: string,
  { ledger }: IntakeDeps,
): Promise<Worked> {
  await ledger.settleDelivery(guid, kind === 'failed' ? { kind, note, retryInMs: retryMs } : { kind, note })
  return kind
}
