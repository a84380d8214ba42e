import { type Context, randomHex } from './context.ts'
import { dismiss } from './dismiss.ts'
import { admits, defaultGroup, groupOf } from './groups.ts'
import { signOfLife, startJob } from './jobs.ts'
import type { Conclusion, Connect, Job, Runner } from './model.ts'
import { hasScope, isEnterpriseScope, serves } from './scope.ts'
import { conclude } from './workflow.ts'

const jitBytes = 32
const sessionBytes = 16
/** The bound of programs that are recorded for one configuration. */
const connectsMax = 16

export interface MintOrder {
  /** `owner/name`, `owner/*` for an organisation, `enterprise:slug` for an enterprise. */
  readonly repository: string
  /** The number of a group of that scope; the default one where nothing is said. */
  readonly group?: number
  readonly name: string
  readonly labels: readonly string[]
}

export type MintResult =
  | { readonly kind: 'minted'; readonly runner: Runner; readonly jit: string }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'no-repository' }
  | { readonly kind: 'no-group' }
  | { readonly kind: 'group-full'; readonly runnersMax: number }

export type ConnectResult =
  | { readonly kind: 'connected'; readonly session: string; readonly runner: Runner }
  /** The configuration was used by another program before. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'expired' }
  /** No such configuration, or its runner was removed. */
  | { readonly kind: 'unknown' }

export type PollResult =
  | { readonly kind: 'job'; readonly job: Job }
  | { readonly kind: 'nothing' }
  /** The runner is not registered any more. */
  | { readonly kind: 'gone' }

/** Registers a runner that is to come, under a name that nobody has now. */
export function mint({ store, entropy }: Context, order: MintOrder): MintResult {
  const { repository, name, labels, group: number = defaultGroup } = order
  if (!hasScope(store, repository)) return { kind: 'no-repository' }
  const group = groupOf(store, repository, number)
  if (group === undefined) return { kind: 'no-group' }
  let count = 0
  for (const id of store.liveOf.get(repository) ?? []) {
    const other = store.runners.get(id) as Runner
    if (other.name === name) return { kind: 'name-taken' }
    if ((other.group ?? defaultGroup) === number) count += 1
  }
  if (count >= group.runnersMax) return { kind: 'group-full', runnersMax: group.runnersMax }
  const runner: Runner = {
    id: store.nextId('runner'),
    repository,
    ...(number !== defaultGroup && { group: number }),
    name,
    labels,
    state: 'minted',
    jit: randomHex(entropy, jitBytes),
    session: null,
    owner: null,
    jobId: null,
    mintedAt: store.now,
    seenAt: store.now,
    goneAt: null,
    goneBecause: null,
    connects: [],
  }
  store.put('runners', runner)
  return { kind: 'minted', runner, jit: runner.jit }
}

/** Takes a runner's registration away; afterwards it gets no job. */
export function removeRunner(
  context: Context,
  repository: string,
  runnerId: number,
): 'removed' | 'absent' | 'busy' {
  const runner = context.store.runners.get(runnerId)
  if (runner === undefined || runner.state === 'gone' || runner.repository !== repository) return 'absent'
  if (runner.jobId !== null) return 'busy'
  dismiss(context, runner, 'removed over the API')
  return 'removed'
}

/** A registered runner offers other labels from now on. */
export function relabel(
  { store }: Context,
  scope: string,
  runnerId: number,
  labels: readonly string[],
): void {
  const runner = store.runners.get(runnerId)
  if (runner === undefined || runner.state === 'gone' || runner.repository !== scope) return
  store.put('runners', { ...runner, labels })
}

/**
 * A program opens its session. The same program may repeat it, because the answer may have been lost;
 * another program with the same configuration gets a conflict for ever.
 */
export function connect({ store, entropy, delays }: Context, jit: string, owner: string): ConnectResult {
  const runner = store.runners.get(store.byJit.get(jit) ?? Number.NaN)
  if (runner === undefined) return { kind: 'unknown' }
  const isFirst = runner.owner === null
  const isKnown = runner.owner === owner
  const isTooLate = isFirst && store.now >= runner.mintedAt + delays.jitExpiresAfterMs
  const accepted = runner.state !== 'gone' && !isTooLate && (isFirst || isKnown)
  const connects = noted(runner.connects, { at: store.now, owner, accepted })
  if (!accepted) {
    store.put('runners', { ...runner, connects })
    if (!isFirst && !isKnown) return { kind: 'conflict' }
    return { kind: isTooLate && runner.state !== 'gone' ? 'expired' : 'unknown' }
  }
  const session = runner.session ?? randomHex(entropy, sessionBytes)
  const online: Runner = { ...runner, state: 'online', owner, session, seenAt: store.now, connects }
  store.put('runners', online)
  return { kind: 'connected', session, runner: online }
}

/** A runner asks for its job. The forge chooses by labels; asked again, it gives the same job again. */
export function poll(context: Context, session: string): PollResult {
  const { store } = context
  const runner = liveRunner(context, session)
  if (runner === undefined) return { kind: 'gone' }
  const seen: Runner = { ...runner, state: 'online', seenAt: store.now }
  store.put('runners', seen)
  if (seen.jobId !== null) return { kind: 'job', job: store.jobs.get(seen.jobId) as Job }
  const job = chooseJob(context, seen)
  if (job === undefined) return { kind: 'nothing' }
  store.put('runners', { ...seen, jobId: job.id })
  return { kind: 'job', job: startJob(context, job, seen, session) }
}

/** The result of a renewal. `cancelled`: somebody wants its job to end. `lost`: it is not its own any more. */
export type Renewed = 'renewed' | 'cancelled' | 'lost'

/** The runner shows that it works on its job. */
export function renew(context: Context, session: string, jobId: number): Renewed {
  const { store } = context
  const job = store.jobs.get(jobId)
  const runner = liveRunner(context, session)
  if (job?.starts.some((start) => start.session === session)) signOfLife(context, job, session)
  if (runner === undefined || runner.jobId !== jobId) {
    return job?.ends.at(-1)?.cause === 'cancelled' ? 'cancelled' : 'lost'
  }
  store.put('runners', { ...runner, state: 'online', seenAt: store.now })
  return job?.cancelledAt === undefined ? 'renewed' : 'cancelled'
}

/** The runner reports the end. It may repeat that, because the answer may have been lost. */
export function complete(
  context: Context,
  session: string,
  jobId: number,
  conclusion: Conclusion,
): 'completed' | 'lost' {
  const { store } = context
  const job = store.jobs.get(jobId)
  const start = job?.starts.at(-1)
  if (job === undefined || start?.session !== session) return 'lost'
  if (job.status === 'completed') return job.ends.at(-1)?.cause === 'reported' ? 'completed' : 'lost'
  dismiss(context, store.runners.get(start.runnerId) as Runner, 'its one job is over')
  conclude(context, job, conclusion, 'reported')
  return 'completed'
}

/** Whether the forge would give this job to the runner that asks in this session. */
export function mayTake(context: Context, session: string, job: Job): boolean {
  const runner = liveRunner(context, session)
  return runner !== undefined && eligible(context, runner)(job)
}

/** A program that asks again is noted once: many repetitions must not push another program out of the truth. */
function noted(connects: readonly Connect[], connect: Connect): readonly Connect[] {
  const isNoted = connects.some(
    ({ owner, accepted }) => owner === connect.owner && accepted === connect.accepted,
  )
  return isNoted || connects.length >= connectsMax ? connects : [...connects, connect]
}

function liveRunner({ store }: Context, session: string): Runner | undefined {
  const runner = store.runners.get(store.bySession.get(session) ?? Number.NaN)
  return runner?.state === 'gone' ? undefined : runner
}

function chooseJob(context: Context, runner: Runner): Job | undefined {
  const { store, entropy, choose } = context
  const isFor = eligible(context, runner)
  const fitting: Job[] = []
  const isOfMany = isEnterpriseScope(runner.repository) || runner.repository.endsWith('/*')
  for (const id of isOfMany ? store.queued : (store.queuedOf.get(runner.repository) ?? [])) {
    const job = store.jobs.get(id) as Job
    if (!isFor(job)) continue
    if (choose === 'oldest') return job
    fitting.push(job)
  }
  return fitting[Math.floor(entropy.fraction() * fitting.length)]
}

/** By labels, by scope, and by the runner's group; never by anybody's claim. */
function eligible({ store }: Context, runner: Runner): (job: Job) => boolean {
  const offered = new Set(runner.labels.map((label) => label.toLowerCase()))
  const group = groupOf(store, runner.repository, runner.group ?? defaultGroup)
  return (job) => {
    if (job.labels.length === 0) return false
    if (!serves(store, runner.repository, job.repository)) return false
    if (!job.labels.every((label) => offered.has(label.toLowerCase()))) return false
    if (runner.repository === job.repository) return true
    const repository = store.repositories.get(store.byFullName.get(job.repository) ?? Number.NaN)
    return group !== undefined && repository !== undefined && admits(group, repository)
  }
}
