import { HoldfastError } from '../domain/errors/index.ts'
import { again, done, type Loop, type Outcome } from '../loop/index.ts'
import type { Delivery, DeliveryOutcome } from '../ports/ledger.ts'
import type { IntakeDeps } from './receive.ts'

const batchSize = 50
/** Deliveries are looked for this often although nobody rang. */
const sweepMs = 10_000
const triesMax = 5
const retryMs = 5_000

/** Works on stored deliveries. Their order does not matter: what a late word says is already known. */
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
  for (const delivery of deliveries) {
    const outcome = await workOn(delivery, deps)
    await deps.ledger.settleDelivery(delivery.guid, outcome)
  }
  return deliveries.length < batchSize ? done : again(0)
}

async function workOn(delivery: Delivery, deps: IntakeDeps): Promise<DeliveryOutcome> {
  const parsed = deps.webhooks.parse(delivery.event, delivery.body)
  if (parsed.kind === 'ignored') return { kind: 'ignored', note: parsed.why }
  if (parsed.kind === 'malformed') return { kind: 'poison', note: parsed.why }
  try {
    const heard = await deps.ledger.hear(parsed.word, { source: 'webhook' })
    if (heard.kind === 'foreign') return { kind: 'ignored', note: 'no pool of ours serves its labels' }
    return { kind: 'done', note: heard.kind }
  } catch (error) {
    if (error instanceof HoldfastError && error.entry.retryable) throw error
    deps.log.error(
      { guid: delivery.guid, tries: delivery.tries, err: error },
      'a delivery could not be worked on',
    )
    const note = error instanceof Error ? error.message : String(error)
    return delivery.tries + 1 >= triesMax
      ? { kind: 'poison', note }
      : { kind: 'failed', note, retryInMs: retryMs }
  }
}
