import { type Context, randomGuid } from './context.ts'
import type { Delivery, Instant, Message, Repository, Webhook } from './model.ts'
import { jobMessagePayload, pingPayload } from './payload/index.ts'

/** How a message was taken. */
export interface DeliveryOutcome {
  readonly deliveredAt: Instant
  readonly durationMs: number
  /** The status of the answer; null: none came. */
  readonly statusCode: number | null
  readonly why: string | null
}

/** Messages in the order in which they arose, at most so many; each is given once. */
export function takeWebhooks(context: Context, limit = Number.POSITIVE_INFINITY): readonly Webhook[] {
  const { store } = context
  const webhooks: Webhook[] = []
  for (const message of store.webhooks.values()) {
    if (webhooks.length >= limit) break
    webhooks.push(rendered(context, message))
    store.drop('webhooks', message.id)
  }
  return webhooks
}

/** A message in the form in which it is sent. */
export function rendered(context: Context, message: Message): Webhook {
  const { links, appId } = context
  const { guid, event } = message
  const repository = repositoryOf(context, message)
  if (message.event === 'ping') {
    return { guid, event, message, repository, payload: pingPayload(message, appId, repository, links) }
  }
  const payload = jobMessagePayload(message.job, message.workflow, repository as Repository, links)
  return { guid, event, message, repository, payload }
}

/** Tries the hook at this address, as for a repository or for the App. */
export function ping({ store, entropy }: Context, url: string, repository: string | null): void {
  const id = store.nextId('webhook')
  store.put('webhooks', {
    id,
    guid: randomGuid(entropy),
    isRedelivery: false,
    event: 'ping',
    url,
    repository,
  })
}

/** Keeps how a message was taken. */
export function noteDelivery({ store }: Context, message: Message, outcome: DeliveryOutcome): void {
  store.put('deliveries', { id: store.nextId('delivery'), message, ...outcome })
}

/** Sends a message once more, under its old GUID. */
export function redeliver({ store }: Context, deliveryId: number): 'queued' | 'absent' {
  const delivery = store.deliveries.get(deliveryId)
  if (delivery === undefined) return 'absent'
  store.put('webhooks', { ...delivery.message, id: store.nextId('webhook'), isRedelivery: true })
  return 'queued'
}

/** What was delivered or was not, the newest first; of one repository, or of all. */
export function deliveries(context: Context, repository: string | null): readonly Delivery[] {
  const all = [...context.store.deliveries.values()].reverse()
  if (repository === null) return all
  return all.filter(({ message }) => nameOf(message) === repository)
}

/** The repository that a message is about; null: none. */
export function repositoryOf({ store }: Context, message: Message): Repository | null {
  return store.repositories.get(store.byFullName.get(nameOf(message) ?? '') ?? Number.NaN) ?? null
}

function nameOf(message: Message): string | null {
  return message.event === 'ping' ? message.repository : message.job.repository
}
