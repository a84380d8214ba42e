import type { ForgeWord } from '../../src/domain/binding/index.ts'
import { HoldfastError } from '../../src/domain/errors/index.ts'
import type { Instant } from '../../src/domain/time.ts'
import type { Forge } from '../../src/ports/forge.ts'
import type { ForgeCore, Job } from '../forge/core/index.ts'

/** The Forge port straight over the simulated forge's truth: what the HTTP boundary and the adapter do, without either. */
export function createForgeTwin(core: ForgeCore, installation: string, now: () => Instant): Forge {
  const gone = (signal: AbortSignal) => {
    if (signal.aborted) throw new HoldfastError('E_FORGE_UNAVAILABLE', { call: 'any', why: 'aborted' })
  }
  return {
    async mint({ scope, name, labels }, signal) {
      gone(signal)
      const result = core.mint({ repository: scope.repository, name, labels }, now())
      if (result.kind === 'minted')
        return { kind: 'minted', forgeRunnerId: result.runner.id, jit: result.jit }
      const taken = result.kind === 'name-taken'
      return {
        kind: 'refused',
        concerns: taken ? 'job' : 'repository',
        reason: taken ? 'Already exists' : 'Not Found',
        retryAfterMs: null,
      }
    },
    async findRunner(scope, name, signal) {
      gone(signal)
      core.advance(now())
      const runner = core.runners(scope.repository).find((candidate) => candidate.name === name)
      if (runner === undefined) return null
      return { id: runner.id, name, online: runner.state === 'online', busy: runner.jobId !== null }
    },
    async removeRunner(scope, forgeRunnerId, signal) {
      gone(signal)
      return core.removeRunner(scope.repository, forgeRunnerId, now())
    },
    async readJob(_scope, forgeJobId, signal) {
      gone(signal)
      core.advance(now())
      const job = core.job(forgeJobId)
      return job === null ? null : wordOf(job, installation)
    },
    async listJobs(_installation, since, signal) {
      gone(signal)
      core.advance(now())
      return core
        .jobs()
        .filter((job) => job.status !== 'completed' || (core.run(job.runId)?.createdAt ?? 0) >= since)
        .map((job) => wordOf(job, installation))
    },
  }
}

function wordOf(job: Job, installation: string): ForgeWord {
  return {
    job: {
      installation,
      forgeJobId: job.id,
      runId: job.runId,
      runAttempt: job.runAttempt,
      repository: job.repository,
      name: job.name,
      labels: job.labels,
    },
    status: job.status,
    runnerName: job.runnerName,
    conclusion: job.conclusion,
    queuedAt: job.createdAt,
    startedAt: job.startedAt,
    completedAt: job.completedAt,
  }
}
