import { type Context, randomGuid } from './context.ts'
import { installationOf } from './installations.ts'
import type { HookEvent, News } from './model.ts'
import { hookId } from './payload/index.ts'

const plainEvents: readonly HookEvent[] = ['workflow_job']

/** Creates a message. An App receives none about a repository that it does not see. */
export function announce(context: Context, news: News, repository: string | null): void {
  const { store, entropy, appId } = context
  if (news.event === 'workflow_job' && !subscribed(context).includes(news.event)) return
  if (appId !== null && repository !== null) {
    const installation = installationOf(store, repository)
    if (installation === null || installation.suspendedAt !== null) return
  }
  const id = store.nextId('webhook')
  store.put('webhooks', { id, guid: randomGuid(entropy), isRedelivery: false, ...news })
}

/** The events to which the hook subscribes, besides those that every hook receives. */
export function subscribed({ store }: Context): readonly HookEvent[] {
  return store.hooks.get(hookId)?.events ?? plainEvents
}
