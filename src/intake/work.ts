import { HoldfastError } from '../domain/errors/index.ts'
import { again, done, type Loop, type Outcome } from '../loop/index.ts'
import type { Delivery, DeliveryOutcome } from '../ports/ledger.ts'
import type { IntakeDeps } from './receive.ts'

const batchSize = 50
/** So many subjects are worked on at the same time, because each delivery waits for two commits. */
const subjectsAtOnceMax = 4
/** Deliveries are looked for this often although nobody rang. */
const sweepMs = 10_000
const triesMax = 5
const retryMs = 5_000

/** What is counted: a job that nobody here serves is told from a message that is not about jobs. */
interface Worked {
  readonly outcome: DeliveryOutcome
  readonly counted: DeliveryOutcome['kind'] | 'foreign'
}

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
    const { outcome, counted } = await workOn(delivery, deps)
    await deps.ledger.settleDelivery(delivery.guid, outcome)
    deps.metrics.count('holdfast_deliveries_worked_total', { outcome: counted, event: delivery.event })
    if (outcome.kind === 'failed') return
  }
}

async function workOn(delivery: Delivery, deps: IntakeDeps): Promise<Worked> {
  const parsed = deps.webhooks.parse(delivery.event, delivery.body)
  if (parsed.kind === 'ping') return plain({ kind: 'ignored', note: 'a ping' })
  if (parsed.kind === 'ignored') return plain({ kind: 'ignored', note: parsed.why })
  if (parsed.kind === 'malformed') return plain({ kind: 'poison', note: parsed.why })
  try {
    const heard = await deps.ledger.hear(parsed.word, { source: 'webhook' })
    if (heard.kind !== 'foreign') return plain({ kind: 'done', note: heard.kind })
    const note = 'no pool of ours serves its labels'
    return { outcome: { kind: 'ignored', note }, counted: 'foreign' }
  } catch (error) {
    if (error instanceof HoldfastError && error.entry.retryable) throw error
    deps.log.error(
      { guid: delivery.guid, tries: delivery.tries, err: error },
      'a delivery could not be worked on',
    )
    const note = error instanceof Error ? error.message : String(error)
    const isLast = delivery.tries + 1 >= triesMax
    return plain(isLast ? { kind: 'poison', note } : { kind: 'failed', note, retryInMs: retryMs })
  }
}

function plain(outcome: DeliveryOutcome): Worked {
  return { outcome, counted: outcome.kind }
}
