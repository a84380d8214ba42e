import type { Instant } from '../../src/domain/time.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { ForgeCore, Job } from '../forge/core/index.ts'
import { isListed, jobEventOf, listedOf } from './forge.ts'

/**
 * A forge whose answers come from copies that lag behind: each read is of a moment up to `lagMs` ago, and two reads
 * may be of different moments. What is written is judged by the truth.
 */
export function withStaleReads(
  forge: Forge,
  core: ForgeCore,
  installation: string,
  now: () => Instant,
  lagMs: () => number,
): Forge {
  return {
    ...forge,
    async findRunner(scope, name, signal) {
      const at = now() - lagMs()
      if (at === now()) return forge.findRunner(scope, name, signal)
      core.advance(now())
      return runnerAt(core, scope.repository, name, at)
    },
    async readJob(scope, forgeJobId, signal) {
      const at = now() - lagMs()
      if (at === now()) return forge.readJob(scope, forgeJobId, signal)
      core.advance(now())
      const job = core.job(forgeJobId)
      const then = job === null ? null : jobAt(job, at)
      return then === null ? null : jobEventOf(then, installation, core)
    },
    async listJobs(asked) {
      const at = now() - lagMs()
      core.advance(now())
      const listed = core
        .jobs()
        .filter((job) => isListed(core, job, asked) || wasOpen(job, at))
        .flatMap((job) => jobAt(job, at) ?? [])
      return listedOf(core, listed, installation)
    },
  }
}

function wasOpen(job: Job, at: Instant): boolean {
  return job.completedAt === null || job.completedAt > at
}

/** A job as it was; null: it was not there yet. */
function jobAt(job: Job, at: Instant): Job | null {
  if (job.createdAt > at) return null
  if (job.completedAt !== null && job.completedAt <= at) return job
  const open = { ...job, conclusion: null, completedAt: null }
  if (job.startedAt !== null && job.startedAt <= at) return { ...open, status: 'in_progress' }
  const status = job.status === 'waiting' ? 'waiting' : 'queued'
  return { ...open, status, startedAt: null, runnerId: null, runnerName: null }
}

function runnerAt(core: ForgeCore, repository: string, name: string, at: Instant) {
  const runner = core
    .truth()
    .runners.find(
      (one) =>
        one.repository === repository &&
        one.name === name &&
        one.mintedAt <= at &&
        (one.goneAt === null || one.goneAt > at),
    )
  if (runner === undefined) return null
  const isConnected = runner.connects.some((connect) => connect.accepted && connect.at <= at)
  const isBusy = core
    .jobs()
    .some(({ starts, ends }) =>
      starts.some(
        (start) => start.runnerId === runner.id && start.at <= at && !ends.some((end) => end.at <= at),
      ),
    )
  return { id: runner.id, name, online: isConnected && runner.state !== 'offline', busy: isBusy }
}
