import { hasLabels } from '../../src/domain/pool/index.ts'
import type { Mutant } from './mutant.ts'
import { override } from './override.ts'

/** Broken variants that give untrusted code a runner, or leave code waiting that a pool takes. */
export const originMutants: readonly Mutant[] = [
  {
    name: 'a pool claims what it refuses',
    breaks: ['origin'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async claim(runner, handle, deadlineMs) {
          const { jobs, pools } = ledger.rows
          const pool = pools.get(runner.pool)
          const refused = [...jobs.values()].filter(
            (job) => job.state === 'queued' && job.pool === null && pool && hasLabels(pool, job.labels),
          )
          for (const job of refused) jobs.set(job.id, { ...job, pool: runner.pool })
          const result = await ledger.claim(runner, handle, deadlineMs)
          for (const job of refused) if (jobs.get(job.id)?.state === 'queued') jobs.set(job.id, job)
          return result
        },
      }),
    }),
  },
  {
    name: "a run of which nobody knows the origin is taken as the repository's own",
    breaks: ['origin'],
    mutate: (around) => ({
      ...around,
      ledger: override(around.ledger, {
        applyJobEvent: (event, cause, settles) =>
          around.ledger.applyJobEvent({ ...event, job: { isFork: false, ...event.job } }, cause, settles),
      }),
    }),
  },
  {
    name: 'the origin of a run is never read',
    breaks: ['I6'],
    mutate: (around) => ({
      ...around,
      forge: override(around.forge, { readOrigin: async () => ({}) }),
    }),
  },
  {
    name: 'a job keeps the visibility that its repository had at first',
    breaks: ['I6', 'origin'],
    mutate: (around, { ledger }) => ({
      ...around,
      ledger: override(around.ledger, {
        async applyJobEvent(event, cause, settles) {
          const known = await ledger.findJob(event.job.installation, event.job.forgeJobId)
          const { visibility } = known ?? event.job
          return around.ledger.applyJobEvent(
            { ...event, job: { ...event.job, ...(visibility && { visibility }) } },
            cause,
            settles,
          )
        },
      }),
    }),
  },
]
