import { HoldfastError } from '../domain/errors/index.ts'
import { again, done, type Loop, type Outcome } from '../loop/index.ts'
import type { Delivery, DeliveryOutcome } from '../ports/ledger.ts'
import type { IntakeDeps } from './receive.ts'

const batchSize = 50
/** Deliveries are looked for this often although nobody rang. */
const sweepMs = 10_000
const triesMax = 5
const retryMs = 5_000

/** What is counted: a job that nobody here serves is told from a message that is not about jobs. */
interface Worked {
  readonly outcome: DeliveryOutcome
  readonly counted: DeliveryOutcome['kind'] | 'foreign'
}

/** Works on stored deliveries. The order of arrival does not matter: what a late word says is already known. */
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
  const stuck = new Set<string>()
  for (const delivery of deliveries) {
    const { guid, subject, event } = delivery
    if (subject !== null && stuck.has(subject)) continue // those before it come first, when they are tried again
    const { outcome, counted } = await workOn(delivery, deps)
    if (outcome.kind === 'failed' && subject !== null) stuck.add(subject)
    await deps.ledger.settleDelivery(guid, outcome)
    deps.metrics.count('holdfast_deliveries_worked_total', { outcome: counted, event })
  }
  return deliveries.length < batchSize ? done : again(0)
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
