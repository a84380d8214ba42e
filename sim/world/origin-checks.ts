import type { Job } from '../../src/domain/job/index.ts'
import type { Pool } from '../../src/domain/pool/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { TimelineRow } from '../../src/ports/ledger.ts'
import type { ForgeCore, Job as ForgeJob } from '../forge/core/index.ts'
import type { Violation } from '../invariants/index.ts'
import { allJobs, allRunners, type State } from './ledger/index.ts'
import type { Origins } from './origins.ts'

interface World {
  readonly rows: Readonly<State>
  readonly core: ForgeCore
  readonly origins: Pick<Origins, 'was'>
  readonly now: Instant
  /** Since when there are no faults; null while there are. */
  readonly quietSince: Instant | null
}

interface TrueOrigin {
  readonly isPublic: boolean
  readonly isFork: boolean
}

/** By then an audit has read that a repository was published; while there are faults nothing says when one does. */
const readWithinMs = 5 * 60_000

/** No pool claims a job that it refuses, by what the forge had said or could have said by then. */
export function checkClaims(fresh: readonly TimelineRow[], world: World): Violation | null {
  for (const { kind, jobId, facts } of fresh) {
    if (kind !== 'claimed') continue
    const job = allJobs(world.rows).find(({ id }) => id === jobId)
    const truth = job === undefined ? null : truthOf(job, world.core)
    const runner = allRunners(world.rows).find(({ id }) => id === facts.runner)
    const pool = world.rows.everyPool.get(runner?.pool ?? '')
    if (truth === null || pool === undefined) continue
    if (!originsOf(truth, sinceWhen(truth, world), world).some((origin) => takes(pool, truth, origin)))
      return { invariant: 'origin', what: `${runner?.name} claimed job ${jobId}, which ${pool.name} refuses` }
  }
  return null
}

/** Whether a job waits for ever because every pool refuses it; whatever else waits is forgotten. */
export function isRefused(truth: ForgeJob, world: Omit<World, 'quietSince'>): boolean {
  const pools = [...world.rows.pools.values()]
  const [origin] = originsOf(truth, Number.POSITIVE_INFINITY, world) as [TrueOrigin]
  if (truth.status !== 'queued' || pools.some((pool) => takes(pool, truth, origin))) return false
  const job = allJobs(world.rows).find(({ forgeJobId }) => forgeJobId === truth.id)
  return job?.state === 'queued' && job.pool === null
}

/** Null: of another forge, or of a run that was deleted, whose code nobody can get any more. */
function truthOf(job: Job, core: ForgeCore): ForgeJob | null {
  const truth = core.job(job.forgeJobId)
  return truth?.runId === job.runId ? truth : null
}

function sinceWhen(truth: ForgeJob, { now, quietSince }: World): Instant {
  const isRead = quietSince !== null && now - quietSince > readWithinMs
  return isRead ? Math.max(truth.createdAt, now - readWithinMs) : truth.createdAt
}

/** The origins that a job had since then: its repository may have been published, its commits stay what they are. */
function originsOf(
  { repository, runId }: ForgeJob,
  since: Instant,
  { core, origins }: Pick<World, 'core' | 'origins'>,
): readonly TrueOrigin[] {
  const isFork = core.run(runId)?.fork !== undefined
  return [true, false]
    .filter((isPublic) => origins.was(repository, isPublic, since))
    .map((isPublic) => ({ isPublic, isFork }))
}

/** Whether a pool takes a job as its documentation has it, without the code that decides it. */
function takes(pool: Pool, { repository, labels }: ForgeJob, { isPublic, isFork }: TrueOrigin): boolean {
  const owner = `${repository.split('/')[0]}/*`
  const isNamed = pool.repositories?.some((pattern) => pattern.toLowerCase() === owner) ?? true
  if (!isNamed || !labels.every((label) => pool.labels.includes(label))) return false
  if (isPublic && pool.publicRepositories !== 'allow') return false
  if (!isFork) return true
  return pool.forks === 'allow' || (!isPublic && pool.forks !== 'refuse')
}
