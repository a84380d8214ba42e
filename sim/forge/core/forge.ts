import type { Entropy } from '../../../src/ports/entropy.ts'
import type { Context } from './context.ts'
import { advance, nextDeadline } from './deadlines.ts'
import { putRepository } from './jobs.ts'
import {
  type Conclusion,
  type Delivery,
  type ForgeDelays,
  githubDelays,
  type Instant,
  type Job,
  type Message,
  type NewRun,
  type Repository,
  type Run,
  type Runner,
  type Submitted,
  type Webhook,
} from './model.ts'
import type { Links } from './payload/index.ts'
import { attemptStatus, jobsOfAttempt, type RunStatus, runStatus } from './run-status.ts'
import {
  type ConnectResult,
  complete,
  connect,
  type MintOrder,
  type MintResult,
  mint,
  type PollResult,
  poll,
  removeRunner,
  renew,
} from './runners.ts'
import { hasScope } from './scope.ts'
import { type Change, type Counters, type Snapshot, Store } from './store.ts'
import { type Overlap, overlapsOf, type Truth, truthOf } from './truth.ts'
import {
  type DeliveryOutcome,
  deliveries,
  noteDelivery,
  ping,
  redeliver,
  rendered,
  takeWebhooks,
} from './webhooks.ts'
import { cancelJob, cancelRun, jobsOf, type RerunChoice, rerun, submit } from './workflow.ts'

export interface ForgeCoreOptions {
  readonly entropy: Entropy
  readonly delays?: Partial<ForgeDelays>
  readonly links?: Links
  readonly appId?: number
  readonly choose?: Context['choose']
  /** What an earlier core knew; this one goes on from there. */
  readonly snapshot?: Snapshot
}

/**
 * A forge's truth as a state machine. It does nothing by itself: every call names the time, and what is
 * due by then happens first. The same calls with the same entropy give the same history.
 */
export interface ForgeCore {
  readonly delays: ForgeDelays
  readonly links: Links
  readonly appId: number | null

  advance(now: Instant): void
  /** When something happens by itself next; null: never, unless somebody acts. */
  nextDeadline(): Instant | null

  /** People's side. */
  submit(run: NewRun, now: Instant): Submitted
  cancel(jobId: number, now: Instant): 'cancelled' | 'absent' | 'over'
  cancelRun(runId: number, now: Instant): 'cancelled' | 'absent' | 'over'
  rerun(runId: number, what: RerunChoice, now: Instant): 'started' | 'absent' | 'running'
  addRepository(fullName: string, now: Instant): void

  /** The API's side. */
  mint(order: MintOrder, now: Instant): MintResult
  removeRunner(repository: string, runnerId: number, now: Instant): 'removed' | 'absent' | 'busy'
  repositories(): readonly Repository[]
  repository(fullName: string): Repository | null
  /** Whether runners can be registered for it: a repository, or `owner/*`. */
  hasScope(scope: string): boolean
  /** Registered runners of a repository; what is gone is unknown. */
  runners(repository: string): readonly Runner[]
  job(jobId: number): Job | null
  jobs(): readonly Job[]
  /** A run as it is now, or as an earlier attempt of it was. */
  run(runId: number, attempt?: number): (Run & RunStatus) | null
  /** The jobs of all attempts, or of one. */
  jobsOf(runId: number, attempt?: number): readonly Job[]
  runs(repository: string): readonly (Run & RunStatus)[]

  /** The runner's side. `owner` names the program, so that a repeated call differs from a second program. */
  connect(jit: string, owner: string, now: Instant): ConnectResult
  poll(session: string, now: Instant): PollResult
  renew(session: string, jobId: number, now: Instant): 'renewed' | 'lost'
  complete(session: string, jobId: number, conclusion: Conclusion, now: Instant): 'completed' | 'lost'

  /** Messages in the order in which they arose, at most so many; each is given once. */
  takeWebhooks(limit?: number): readonly Webhook[]
  /** Tries the hook at this address, as for a repository or for the App. */
  ping(url: string, repository: string | null, now: Instant): void
  noteDelivery(message: Message, outcome: DeliveryOutcome): void
  /** What was delivered or was not, the newest first; of one repository, or of all. */
  deliveries(repository: string | null): readonly Delivery[]
  redeliver(deliveryId: number, now: Instant): 'queued' | 'absent'
  /** A message in the form in which it is sent. */
  rendered(message: Message): Webhook

  truth(): Truth
  overlaps(): readonly Overlap[]

  snapshot(): Snapshot
  counters(): Counters
  /** What changed since the last time, for a journal. */
  takeChanges(): readonly Change[]
  /** Repeats what a journal has kept. */
  replay(changes: readonly Change[], counters: Counters): void
  /** After an outage of the forge, no runner is blamed for a silence that nobody could have heard. */
  resume(now: Instant): void
}

const noLinks: Links = { api: 'https://api.forge.invalid', web: 'https://forge.invalid' }

/** A forge that knows nothing yet, or what the snapshot says. */
export function createForgeCore(options: ForgeCoreOptions): ForgeCore {
  const store = new Store(options.snapshot)
  const context: Context = {
    store,
    entropy: options.entropy,
    delays: { ...githubDelays, ...options.delays },
    links: options.links ?? noLinks,
    appId: options.appId ?? null,
    choose: options.choose ?? 'oldest',
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
    cancelRun: (runId, now) => at(now, () => cancelRun(context, runId)),
    rerun: (runId, what, now) => at(now, () => rerun(context, runId, what)),
    addRepository: (fullName, now) => at(now, () => putRepository(context, fullName)),
    mint: (order, now) => at(now, () => mint(context, order)),
    removeRunner: (repository, id, now) => at(now, () => removeRunner(context, repository, id)),
    connect: (jit, owner, now) => at(now, () => connect(context, jit, owner)),
    poll: (session, now) => at(now, () => poll(context, session)),
    renew: (session, jobId, now) => at(now, () => renew(context, session, jobId)),
    complete: (session, jobId, conclusion, now) =>
      at(now, () => complete(context, session, jobId, conclusion)),
    takeWebhooks: (limit) => takeWebhooks(context, limit),
    ping: (url, repository, now) => at(now, () => ping(context, url, repository)),
    noteDelivery: (message, outcome) => noteDelivery(context, message, outcome),
    deliveries: (repository) => deliveries(context, repository),
    redeliver: (deliveryId, now) => at(now, () => redeliver(context, deliveryId)),
    rendered: (message) => rendered(context, message),
    truth: () => truthOf(store),
    overlaps: () => overlapsOf(store),
    snapshot: () => store.snapshot(),
    counters: () => store.counters(),
    takeChanges: () => store.takeChanges(),
    replay: (changes, counters) => store.apply(changes, counters),
    resume: (now) => resume(store, now),
    ...reads(context),
  }
}

function reads(context: Context) {
  const { store } = context
  const withStatus = (run: Run): Run & RunStatus => ({ ...run, ...runStatus(run, jobsOf(context, run.id)) })
  const ofAttempt = (runId: number, attempt?: number): readonly Job[] => {
    const all = jobsOf(context, runId)
    return attempt === undefined ? all : jobsOfAttempt(all, attempt)
  }
  return {
    repositories: (): readonly Repository[] => [...store.repositories.values()],
    repository: (fullName: string): Repository | null =>
      store.repositories.get(store.byFullName.get(fullName) ?? Number.NaN) ?? null,
    hasScope: (scope: string): boolean => hasScope(store, scope),
    runners: (repository: string): readonly Runner[] =>
      [...store.live]
        .map((id) => store.runners.get(id) as Runner)
        .filter((runner) => runner.repository === repository),
    job: (jobId: number): Job | null => store.jobs.get(jobId) ?? null,
    jobs: (): readonly Job[] => [...store.jobs.values()],
    run(runId: number, attempt?: number): (Run & RunStatus) | null {
      const run = store.runs.get(runId)
      if (run === undefined) return null
      if (attempt === undefined || attempt === run.attempt) return withStatus(run)
      const isKnown = attempt >= 1 && attempt < run.attempt
      return isKnown ? { ...run, attempt, ...attemptStatus(ofAttempt(runId, attempt)) } : null
    },
    jobsOf: ofAttempt,
    runs: (repository: string): readonly (Run & RunStatus)[] =>
      [...store.runs.values()].filter((run) => run.repository === repository).map(withStatus),
  }
}

function resume(store: Store, now: Instant): void {
  store.now = Math.max(store.now, now)
  for (const id of store.live) {
    const runner = store.runners.get(id) as Runner
    if (runner.state !== 'minted') store.put('runners', { ...runner, seenAt: store.now })
  }
}
