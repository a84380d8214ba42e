import type { Job, Run, Runner } from './model.ts'
import type { FormerRows } from './past.ts'
import { attemptStatus, jobsOfAttempt, type RunStatus, runStatus } from './run-status.ts'
import type { Store } from './store.ts'

/** Reads of jobs, runs and runners: as they are, or as a lagging replica has them. */
export interface Reads {
  /** Registered runners of a scope; what is gone is unknown. */
  runners(scope: string): readonly Runner[]
  job(jobId: number): Job | null
  jobs(): readonly Job[]
  /** A run as it is now, or as an earlier attempt of it was. */
  run(runId: number, attempt?: number): (Run & RunStatus) | null
  /** The jobs of all attempts, or of one. */
  jobsOf(runId: number, attempt?: number): readonly Job[]
  runs(repository: string): readonly (Run & RunStatus)[]
}

/** Reads of the store, with the rows of the past in the place of those that have changed since. */
export function readsOf(store: Store, past: FormerRows | null): Reads {
  const runAt = (id: number) => {
    const run = past?.runs.has(id) ? past.runs.get(id) : store.runs.get(id)
    return run?.deletedAt === undefined ? run : undefined
  }
  const jobAt = (id: number) => {
    const job = past?.jobs.has(id) ? past.jobs.get(id) : store.jobs.get(id)
    return job !== undefined && runAt(job.runId) !== undefined ? job : undefined
  }
  const runnerAt = (id: number) => (past?.runners.has(id) ? past.runners.get(id) : store.runners.get(id))
  const jobsOf = (runId: number, attempt?: number): readonly Job[] => {
    const all = [...(store.jobsOfRun.get(runId) ?? [])].map(jobAt).filter(isThere)
    return attempt === undefined ? all : jobsOfAttempt(all, attempt)
  }
  const withStatus = (run: Run): Run & RunStatus => ({ ...run, ...runStatus(run, jobsOf(run.id)) })
  return {
    runners(scope) {
      const ids = new Set([...(store.liveOf.get(scope) ?? []), ...(past?.runners.keys() ?? [])])
      const found = [...ids].map(runnerAt).filter(isThere)
      return found
        .filter((runner) => runner.state !== 'gone' && runner.repository === scope)
        .sort((a, b) => a.id - b.id)
    },
    job: (jobId) => jobAt(jobId) ?? null,
    jobs: () => [...store.jobs.keys()].map(jobAt).filter(isThere),
    run(runId, attempt) {
      const run = runAt(runId)
      if (run === undefined) return null
      if (attempt === undefined || attempt === run.attempt) return withStatus(run)
      const isKnown = attempt >= 1 && attempt < run.attempt
      return isKnown ? { ...run, attempt, ...attemptStatus(jobsOf(runId, attempt)) } : null
    },
    jobsOf,
    runs: (repository) =>
      [...(store.runsOf.get(repository) ?? [])].map(runAt).filter(isThere).map(withStatus),
  }
}

function isThere<T>(row: T | undefined): row is T {
  return row !== undefined
}
