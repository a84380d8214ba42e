import { announce, subscribed } from './announce.ts'
import type { Context } from './context.ts'
import { installationOf, visibleTo } from './installations.ts'
import type { Delivery, Installation, Instant, Message, Repository, Webhook } from './model.ts'
import {
  type InstallationFacts,
  installationMessagePayload,
  type Json,
  jobMessagePayload,
  pingPayload,
  runMessagePayload,
  surroundings,
} from './payload/index.ts'
import { isPerson } from './scope.ts'

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
  const repository = repositoryOf(context, message)
  const { guid, event } = message
  return { guid, event, message, repository, payload: payloadOf(context, message, repository) }
}

/** Facts of an installation outside of its row. */
export function installationFacts(context: Context, { account }: Installation): InstallationFacts {
  const { store, appId } = context
  return {
    appId: appId ?? 0,
    events: subscribed(context),
    isPersonal: account !== null && isPerson(store, account),
    isWhole: ![...store.refusals.values()].some(({ what }) => what === 'not-in-installation'),
  }
}

/** The installation through which an App receives messages about a repository; null: there is none. */
export function installationIdOf({ store, appId }: Context, message: Message): number | null {
  if (appId === null || message.event === 'ping') return null
  if ('installation' in message) return message.installation.id
  return installationOf(store, nameOf(message) ?? '')?.id ?? null
}

/** Tries the hook at this address, as for a repository or for the App. */
export function ping(context: Context, url: string, repository: string | null): void {
  announce(context, { event: 'ping', url, repository }, null)
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

/** Deliveries and failed deliveries, the newest first; of one repository, or of all. */
export function deliveries({ store }: Context, repository: string | null): readonly Delivery[] {
  const all = [...store.deliveries.values()].reverse()
  return repository === null ? all : all.filter((delivery) => isAbout(delivery, repository))
}

/** One time that a message was sent, where it was about this repository; null asks for any. */
export function deliveryOf({ store }: Context, id: number, repository: string | null): Delivery | null {
  const delivery = store.deliveries.get(id)
  const isMeant = delivery !== undefined && (repository === null || isAbout(delivery, repository))
  return isMeant ? delivery : null
}

function isAbout({ message }: Delivery, repository: string): boolean {
  return nameOf(message) === repository
}

/** The repository that a message is about; null: none. */
export function repositoryOf({ store }: Context, message: Message): Repository | null {
  return store.repositories.get(store.byFullName.get(nameOf(message) ?? '') ?? Number.NaN) ?? null
}

function payloadOf(context: Context, message: Message, repository: Repository | null): Json {
  const { store, links, appId } = context
  if (message.event === 'ping') return pingPayload(message, appId, repository, subscribed(context), links)
  if (message.event === 'installation' || message.event === 'installation_repositories') {
    const { installation } = message
    const seen = visibleTo(store, installation.account)
    return installationMessagePayload(message, installationFacts(context, installation), seen, links)
  }
  const about = repository as Repository
  const around = surroundings(about, installationIdOf(context, message), links)
  return message.event === 'workflow_job'
    ? jobMessagePayload(message, around, links)
    : runMessagePayload(message, about, around, links)
}

function nameOf(message: Message): string | null {
  if (message.event === 'ping') return message.repository
  if (message.event === 'workflow_job') return message.job.repository
  return message.event === 'workflow_run' ? message.run.repository : null
}
