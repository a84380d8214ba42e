import type { Delivery, HookEvent, Message, PingMessage, Repository } from '../model.ts'
import { surroundings } from './job.ts'
import { isoTime, type Json, type Links } from './shape.ts'

/** The one hook: the App's, or of every repository where there is no App. */
export const hookId = 40_000_001

const madeAt = '2020-01-01T00:00:00Z'
const zen = 'Design for failure.'

/** The body of the message with which GitHub tries a hook. */
export function pingPayload(
  ping: PingMessage,
  appId: number | null,
  repository: Repository | null,
  events: readonly HookEvent[],
  links: Links,
): Json {
  const around = repository === null ? {} : surroundings(repository, null, links)
  return {
    zen: zen,
    hook_id: hookId,
    hook: {
      ...hookPayload(ping.url, appId, repository, events, links),
      ...(appId !== null && { app_id: appId }),
    },
    ...(appId === null && around),
  }
}

/** The hook itself; its secret is not shown. */
export function hookPayload(
  url: string,
  appId: number | null,
  repository: Repository | null,
  events: readonly HookEvent[],
  links: Links,
): Json {
  const self = `${links.api}/repos/${repository?.fullName}/hooks/${hookId}`
  const common = {
    type: appId === null ? 'Repository' : 'App',
    id: hookId,
    name: 'web',
    active: true,
    events,
    config: { content_type: 'json', insecure_ssl: '0', secret: '********', url },
    updated_at: madeAt,
    created_at: madeAt,
  }
  if (repository === null) return { ...common, deliveries_url: `${links.api}/app/hook/deliveries` }
  return {
    ...common,
    url: self,
    test_url: `${self}/test`,
    ping_url: `${self}/pings`,
    deliveries_url: `${self}/deliveries`,
    last_response: { code: null, status: 'unused', message: null },
  }
}

/** A delivery in the list of them. */
export function deliveryPayload(
  delivery: Delivery,
  repository: Repository | null,
  installationId: number | null,
  links: Links,
): Json {
  const { message, statusCode } = delivery
  return {
    id: delivery.id,
    guid: message.guid,
    delivered_at: isoTime(delivery.deliveredAt, links),
    redelivery: message.isRedelivery,
    duration: delivery.durationMs / 1000,
    status: statusWord(delivery),
    status_code: statusCode ?? 0,
    event: message.event,
    action: actionOf(message),
    installation_id: installationId,
    repository_id: repository?.id ?? null,
    throttled_at: null,
  }
}

/** The action of a message; null: its event has none. */
export function actionOf(message: Message): string | null {
  if (message.event === 'ping') return null
  return message.event === 'workflow_job' ? (message.action ?? message.job.status) : message.action
}

/** GitHub says `OK`, or what went wrong in a few words. */
function statusWord({ statusCode, why }: Delivery): string {
  if (statusCode === null) return why ?? 'failed to connect to host'
  return statusCode >= 200 && statusCode < 300 ? 'OK' : `Invalid HTTP Response: ${statusCode}`
}
