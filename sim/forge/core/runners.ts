import { type Context, randomHex } from './context.ts'
import { dismiss } from './dismiss.ts'
import { signOfLife, startJob } from './jobs.ts'
import type { Conclusion, Connect, Job, Runner } from './model.ts'
import { hasScope, serves } from './scope.ts'
import { conclude } from './workflow.ts'

const JIT_BYTES = 32
const SESSION_BYTES = 16
/** Who used a configuration is part of the truth, up to so many programs. */
const CONNECTS_MAX = 16

export interface MintOrder {
  /** `owner/name`, or `owner/*` for all repositories of an organisation. */
  readonly repository: string
  readonly name: string
  readonly labels: readonly string[]
}

export type MintResult =
  | { readonly kind: 'minted'; readonly runner: Runner; readonly jit: string }
  | { readonly kind: 'name-taken' }
  | { readonly kind: 'no-repository' }

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
export function mint({ store, entropy }: Context, { repository, name, labels }: MintOrder): MintResult {
  if (!hasScope(store, repository)) return { kind: 'no-repository' }
  for (const id of store.live) {
    const other = store.runners.get(id) as Runner
    if (other.repository === repository && other.name === name) return { kind: 'name-taken' }
  }
  const runner: Runner = {
    id: store.nextId('runner'),
    repository,
    name,
    labels,
    state: 'minted',
    jit: randomHex(entropy, JIT_BYTES),
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
  const session = runner.session ?? randomHex(entropy, SESSION_BYTES)
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

/** The runner shows that it works on its job. `lost`: the job is not its own any more. */
export function renew(context: Context, session: string, jobId: number): 'renewed' | 'lost' {
  const { store } = context
  const job = store.jobs.get(jobId)
  const runner = liveRunner(context, session)
  if (job?.starts.some((start) => start.session === session)) signOfLife(context, job, session)
  if (runner === undefined || runner.jobId !== jobId) return 'lost'
  store.put('runners', { ...runner, state: 'online', seenAt: store.now })
  return 'renewed'
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

/** Whether the forge would give a job with these labels to a runner with those. */
export function labelsMatch(job: readonly string[], runner: readonly string[]): boolean {
  const offered = new Set(runner.map((label) => label.toLowerCase()))
  return job.every((label) => offered.has(label.toLowerCase()))
}

/** A program that asks again is noted once: many repetitions must not push another program out of the truth. */
function noted(connects: readonly Connect[], connect: Connect): readonly Connect[] {
  const isNoted = connects.some(
    ({ owner, accepted }) => owner === connect.owner && accepted === connect.accepted,
  )
  return isNoted || connects.length >= CONNECTS_MAX ? connects : [...connects, connect]
}

function liveRunner({ store }: Context, session: string): Runner | undefined {
  const runner = store.runners.get(store.bySession.get(session) ?? Number.NaN)
  return runner?.state === 'gone' ? undefined : runner
}

function chooseJob({ store, entropy, choose }: Context, runner: Runner): Job | undefined {
  const fitting: Job[] = []
  for (const id of store.queued) {
    const job = store.jobs.get(id) as Job
    if (!serves(runner.repository, job.repository) || !labelsMatch(job.labels, runner.labels)) continue
    if (choose === 'oldest') return job
    fitting.push(job)
  }
  return fitting[Math.floor(entropy.fraction() * fitting.length)]
}
