import { createHmac } from 'node:crypto'
import { hookId, type Webhook } from '../core/index.ts'
import { signatureOf } from './secret.ts'

const userAgent = 'GitHub-Hookshot/51d0c4a'

/** The headers with which GitHub sends a message. */
export function hookHeaders(
  webhook: Webhook,
  appId: number | null,
  body: string,
  secret: string,
): Record<string, string> {
  return {
    accept: '*/*',
    'content-type': 'application/json',
    'user-agent': userAgent,
    'x-github-delivery': webhook.guid,
    'x-github-event': webhook.event,
    'x-github-hook-id': String(hookId),
    ...targetOf(webhook, appId),
    'x-hub-signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
    'x-hub-signature-256': signatureOf(body, secret),
  }
}

/** Whose hook it is. */
function targetOf({ repository }: Webhook, appId: number | null): Record<string, string> {
  return {
    'x-github-hook-installation-target-type': appId === null ? 'repository' : 'integration',
    'x-github-hook-installation-target-id': String(appId ?? repository?.id ?? 0),
  }
}
