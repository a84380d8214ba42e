import { HoldfastError } from '../domain/errors/index.ts'
import type { JobEvent } from '../domain/job-event/index.ts'
import { reasonOf } from '../domain/reason.ts'
import { done, eachBounded, type Loop, type Outcome, requeueAfter } from '../loop/index.ts'
import type { Delivery, DeliveryOutcome } from '../ports/ledger.ts'
import type { Parsed } from '../ports/webhooks.ts'
import { countLost } from './count-lost.ts'
import type { IntakeDeps } from './receive.ts'

/** Deliveries that are read at a time, with their bodies. */
const batchSize = 128
/** Subjects that are worked on in parallel: the ledger applies concurrent events in one transaction. */
const subjectsAtOnceMax = 64
/** How often pending deliveries are listed without a wake-up. */
const resyncMs = 10_000
const triesMax = 5
const retryMs = 5_000

/**
 * Works on stored deliveries, those of one subject in order of arrival. The order does not change the result, because a
 * late event is recognised as known; it saves the work of inferring a start whose event follows.
 */
export function intakeLoop(deps: IntakeDeps): Loop {
  return {
    name: 'intake',
    resyncMs,
    wokenBy: (wake) => wake.kind === 'deliveries',
    pass: () => workOnDeliveries(deps),
  }
}

async function workOnDeliveries(deps: IntakeDeps): Promise<Outcome> {
  const deliveries = await deps.ledger.pendingDeliveries(batchSize)
  const waiting = Map.groupBy(deliveries, ({ guid, subject }) => subject ?? guid).values()
  await eachBounded([...waiting], subjectsAtOnceMax, (ofOne) => workInOrder(ofOne, deps))
  return deliveries.length < batchSize ? done : requeueAfter(0)
}

/** A failure ends the sequence: the later deliveries of the subject wait for the retry. */
async function workInOrder(deliveries: readonly Delivery[], deps: IntakeDeps): Promise<void> {
  for (const delivery of deliveries) {
    const outcome = await workOn(delivery, deps)
    deps.metrics.count('holdfast_deliveries_worked_total', { outcome, event: delivery.event })
    if (outcome === 'failed') return
  }
}

/** `foreign`: the event is about a job that no pool here serves. */
type Worked = DeliveryOutcome['kind'] | 'foreign'

async function workOn(delivery: Delivery, deps: IntakeDeps): Promise<Worked> {
  try {
    const parsed = deps.webhooks.parse(delivery.event, delivery.body)
    if (parsed.kind === 'job-event') return await applyEvent(delivery, parsed.jobEvent, deps)
    return await settle(delivery, settledAs[parsed.kind], whyOf(parsed), deps)
  } catch (error) {
    // The ledger failed, not this delivery: the pass is repeated, and the delivery stays pending.
    if (error instanceof HoldfastError && error.entry.retryable) throw error
    return fail(delivery, error, deps)
  }
}

const settledAs = { ping: 'ignored', ignored: 'ignored', malformed: 'poison', deferred: 'failed' } as const

function whyOf(parsed: Exclude<Parsed, { kind: 'job-event' }>): string {
  return parsed.kind === 'ping' ? 'a ping' : parsed.why
}

/** The delivery is settled in the same transaction, unless the event could not be applied. */
async function applyEvent(delivery: Delivery, event: JobEvent, deps: IntakeDeps): Promise<Worked> {
  const result = await deps.ledger.applyJobEvent(event, { source: 'webhook' }, delivery.guid)
  await countLost(event, result, deps)
  return result.kind === 'foreign' ? 'foreign' : 'done'
}

/** A delivery is retried a few times and then set aside; one that cannot even be settled must not stop the others. */
async function fail(delivery: Delivery, error: unknown, deps: IntakeDeps): Promise<Worked> {
  const { guid, tries } = delivery
  deps.log.error({ guid, tries, err: error }, 'a delivery could not be worked on')
  const note = reasonOf(error)
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
