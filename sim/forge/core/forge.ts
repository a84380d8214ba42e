import type { Entropy } from '../../../src/ports/entropy.ts'
import { createAccounts } from './accounts.ts'
import { pendingOf, review } from './approvals.ts'
import type { Context } from './context.ts'
import { advance, nextDeadline } from './deadlines.ts'
import { forgeDelays } from './delays.ts'
import type { ForgeCore } from './forge-core.ts'
import { putRepository } from './jobs.ts'
import type { ForgeDelays, Instant, Runner } from './model.ts'
import type { Links } from './payload/index.ts'
import { rerun } from './rerun.ts'
import { complete, connect, mayTake, mint, poll, relabel, removeRunner, renew } from './runners.ts'
import { hasScope } from './scope.ts'
import { type Snapshot, Store } from './store.ts'
import { overlapsOf, truthOf } from './truth.ts'
import { readsOf } from './view.ts'
import {
  deliveries,
  deliveryOf,
  installationIdOf,
  noteDelivery,
  ping,
  redeliver,
  rendered,
  repositoryOf,
  takeWebhooks,
} from './webhooks.ts'
import { cancelJob, cancelRun, deleteRun, submit } from './workflow.ts'

export interface ForgeCoreOptions {
  readonly entropy: Entropy
  readonly delays?: Partial<ForgeDelays>
  readonly links?: Links
  readonly appId?: number
  readonly choose?: Context['choose']
  readonly takesBack?: boolean
  /** The state of an earlier core, from which this one goes on. */
  readonly snapshot?: Snapshot
}

const noLinks: Links = { api: 'https://api.forge.invalid', web: 'https://forge.invalid' }

/** A forge that knows nothing yet, or what the snapshot says. */
export function createForgeCore(options: ForgeCoreOptions): ForgeCore {
  const store = new Store(options.snapshot)
  const context: Context = {
    store,
    entropy: options.entropy,
    delays: forgeDelays(options.delays),
    links: options.links ?? noLinks,
    appId: options.appId ?? null,
    choose: options.choose ?? 'oldest',
    takesBack: options.takesBack ?? false,
  }
  const at = <T>(now: Instant, step: () => T): T => {
    advance(context, now)
    return step()
  }
  return {
    delays: context.delays,
    links: context.links,
    appId: context.appId,
    advance: (now) => advance(context, now),
    nextDeadline: () => nextDeadline(context),
    submit: (run, now) => at(now, () => submit(context, run)),
    cancel: (jobId, now) => at(now, () => cancelJob(context, jobId)),
    cancelRun: (runId, now, isForced = false) => at(now, () => cancelRun(context, runId, isForced)),
    rerun: (runId, what, now) => at(now, () => rerun(context, runId, what)),
    deleteRun: (runId, now) => at(now, () => deleteRun(context, runId)),
    review: (runId, environments, isApproved, now) =>
      at(now, () => review(context, runId, environments, isApproved)),
    pending: (runId) => pendingOf(context, runId),
    addRepository: (fullName, now) => at(now, () => putRepository(context, fullName)),
    accounts: createAccounts(context),
    keepPast: (keepMs) => store.past.keep(keepMs),
    past: (lagMs) => readsOf(store, store.past.at(store.now - lagMs)),
    repositories: () => [...store.repositories.values()],
    repository: (fullName) => store.repositories.get(store.byFullName.get(fullName) ?? Number.NaN) ?? null,
    hasScope: (scope) => hasScope(store, scope),
    mint: (order, now) => at(now, () => mint(context, order)),
    removeRunner: (repository, id, now) => at(now, () => removeRunner(context, repository, id)),
    relabel: (scope, id, labels, now) => at(now, () => relabel(context, scope, id, labels)),
    connect: (jit, owner, now) => at(now, () => connect(context, jit, owner)),
    poll: (session, now) => at(now, () => poll(context, session)),
    mayTake: (session, job) => mayTake(context, session, job),
    renew: (session, jobId, now) => at(now, () => renew(context, session, jobId)),
    complete: (session, jobId, conclusion, now) =>
      at(now, () => complete(context, session, jobId, conclusion)),
    takeWebhooks: (limit) => takeWebhooks(context, limit),
    ping: (url, repository, now) => at(now, () => ping(context, url, repository)),
    noteDelivery: (message, outcome) => noteDelivery(context, message, outcome),
    deliveries: (repository) => deliveries(context, repository),
    delivery: (id, repository) => deliveryOf(context, id, repository),
    repositoryOf: (message) => repositoryOf(context, message),
    redeliver: (deliveryId, now) => at(now, () => redeliver(context, deliveryId)),
    rendered: (message) => rendered(context, message),
    installationIdOf: (message) => installationIdOf(context, message),
    truth: () => truthOf(store),
    jobsEver: () => [...store.jobs.values()],
    overlaps: () => overlapsOf(store),
    snapshot: () => store.snapshot(),
    counters: () => store.counters(),
    takeChanges: () => store.takeChanges(),
    replay: (changes, counters) => store.apply(changes, counters),
    resume: (now) => resume(store, now),
    ...readsOf(store, null),
  }
}

function resume(store: Store, now: Instant): void {
  store.now = Math.max(store.now, now)
  for (const id of store.live) {
    const runner = store.runners.get(id) as Runner
    if (runner.state !== 'minted') store.put('runners', { ...runner, seenAt: store.now })
  }
}
