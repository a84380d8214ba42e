import type { Instant } from '../../domain/time.ts'
import { PER_TIME } from './per-time.ts'
import type { GiteaJob } from './schemas.ts'
import type { Counting } from './version.ts'
import { wasGiven } from './word.ts'

const TIMES_MAX = Math.floor(Number.MAX_SAFE_INTEGER / PER_TIME)
const REMEMBERED_MAX = 10_000

type Counted = Pick<GiteaJob, 'id' | 'run_attempt' | 'runner_id' | 'status'>

/** Under which number the ledger knows a job, and which attempt of its run it is of. */
export interface Numbered {
  readonly forgeJobId: number
  readonly runAttempt: number
}

/** Under which number the ledger knows what Gitea says of a job now. */
export interface Numbers {
  /** Null while it is not known how this Gitea counts: a guess would make two jobs of one. */
  of(job: Counted): Numbered | null
  /** The same for a job in a list that was asked for at this time; the ledger is asked where Gitea does not tell. */
  ofListed(job: Counted, counting: Counting, askedAt: Instant): Promise<Numbered>
}

/**
 * From 1.27 on a job has an id for each attempt, and its number is that id. Before, Gitea counts a time when a runner is given the job. A job that was over before any runner had it, and is run again,
 * looks as it did the first time: whether it is the second is known by what was seen before, here or in the ledger.
 * `endedBefore` tells whether the ledger ended the job of this number before a time.
 */
export function createNumbers(
  endedBefore: (forgeJobId: number, at: Instant) => Promise<boolean>,
  counting: () => Counting | null,
): Numbers {
  const uncounted = new Map<number, { missed: number; ended: number }>()
  const recall = (id: number) => uncounted.get(id) ?? { missed: 0, ended: 0 }
  const remember = (id: number, what: { missed: number; ended: number }): void => {
    uncounted.delete(id)
    uncounted.set(id, what)
    const [oldest] = uncounted.keys()
    if (uncounted.size > REMEMBERED_MAX && oldest !== undefined) uncounted.delete(oldest)
  }
  const timeOf = (job: Counted): number => {
    const { missed, ended } = recall(job.id)
    const time = countedTime(job) + missed
    if (wasGiven(job)) return time
    if (job.status === 'completed') remember(job.id, { missed, ended: time })
    if (job.status === 'completed' || time > ended) return time
    remember(job.id, { missed: missed + ended + 1 - time, ended })
    return ended + 1
  }
  return {
    of(job) {
      const how = counting()
      if (how === null) return null
      return how === 'attempt' ? ownId(job) : numbered(job.id, timeOf(job))
    },
    async ofListed(job, how, askedAt) {
      if (how === 'attempt') return ownId(job)
      let time = timeOf(job)
      if (job.status !== 'queued') return numbered(job.id, time)
      while (time < TIMES_MAX && (await endedBefore(numberOf(job.id, time), askedAt))) time += 1
      const missed = time - countedTime(job)
      if (missed > 0) remember(job.id, { ...recall(job.id), missed })
      return numbered(job.id, time)
    },
  }
}

function ownId({ id, run_attempt }: Counted): Numbered {
  return { forgeJobId: id, runAttempt: Math.max(run_attempt, 1) }
}

function numbered(id: number, time: number): Numbered {
  return { forgeJobId: numberOf(id, time), runAttempt: time }
}

/** As far as Gitea counts: a job that waits for a runner is at the time that is to come. */
export function countedTime(job: Pick<GiteaJob, 'run_attempt' | 'runner_id'>): number {
  return wasGiven(job) ? Math.max(job.run_attempt, 1) : job.run_attempt + 1
}

/** Gitea's own id, and which time of it is meant. */
export function takeApart(forgeJobId: number): { readonly id: number; readonly time: number } {
  return { id: forgeJobId % PER_TIME, time: Math.floor(forgeJobId / PER_TIME) + 1 }
}

function numberOf(id: number, time: number): number {
  return (Math.min(time, TIMES_MAX) - 1) * PER_TIME + id
}
